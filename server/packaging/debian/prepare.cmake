# Makes the files that cpack has staged what Debian's policy asks for: compressed manual and changelog, the copyright in
# Debian's form, the service's configuration.
set(root "${CPACK_TEMPORARY_DIRECTORY}")
set(documents "${root}/usr/share/doc/tweed")
set(debian "${CMAKE_CURRENT_LIST_DIR}")

file(GLOB pages "${root}/usr/share/man/man*/*")
execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)

file(READ "${documents}/LICENSE" license)
string(REGEX MATCH "Copyright \\(c\\) ([^\n]*)" line "${license}")
set(COPYRIGHT "${CMAKE_MATCH_1}")
string(REGEX REPLACE "^.*(Permission is hereby)" "\\1" license "${license}")
string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
string(STRIP "${license}" license)
string(REPLACE "\n" "\n " LICENSE " ${license}")
configure_file("${debian}/copyright" "${documents}/copyright" @ONLY)
file(REMOVE "${documents}/LICENSE")

execute_process(COMMAND "${root}/usr/bin/tweed" --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "commit ([^\n]*)" line "${version}")
set(COMMIT "${CMAKE_MATCH_1}")
set(VERSION "${CPACK_PACKAGE_VERSION}")
set(CONTACT "${CPACK_PACKAGE_CONTACT}")
execute_process(COMMAND git -C "${debian}" log -1 --format=%cD OUTPUT_VARIABLE DATE OUTPUT_STRIP_TRAILING_WHITESPACE
                ERROR_QUIET)
if(NOT DATE)
  string(TIMESTAMP DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
configure_file("${debian}/changelog" "${documents}/changelog" @ONLY)
execute_process(COMMAND gzip -9nf "${documents}/changelog" COMMAND_ERROR_IS_FATAL ANY)

file(MAKE_DIRECTORY "${root}/etc/default")
file(RENAME "${documents}/examples/tweed.default" "${root}/etc/default/tweed")
file(MAKE_DIRECTORY "${root}/usr/share/lintian/overrides")
configure_file("${debian}/lintian-overrides" "${root}/usr/share/lintian/overrides/tweed" COPYONLY)
file(GLOB_RECURSE links LIST_DIRECTORIES true "${root}/*")
foreach(path ${links}) # whatever the umask was
  if(IS_DIRECTORY "${path}" OR path STREQUAL "${root}/usr/bin/tweed")
    file(CHMOD "${path}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  else()
    file(CHMOD "${path}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endif()
endforeach()
