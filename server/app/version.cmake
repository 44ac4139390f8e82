# Writes OUTPUT, the source of base/version.h: the commit of SOURCE, its day and the BUILD. At each build, since no file
# tells that the commit has changed. Outside a clone of the repository the commit is unknown, and the day "".
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=* OUTPUT_VARIABLE commit
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C ${SOURCE} log -1 --format=%cs OUTPUT_VARIABLE day
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()
set(text "#include \"base/version.h\"\n
const char app_commit[] = \"${commit}\"\;
const char app_commit_day[] = \"${day}\"\;
const char app_build[] = \"${BUILD}\"\;\n")
string(REPLACE "\\;" ";" text "${text}")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUTPUT} "${text}")
endif()
