# The Debian package that cpack makes in the build folder.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
if(DEFINED ENV{DEBEMAIL}) # as Debian's own tools take it
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
else()
  set(CPACK_PACKAGE_CONTACT "The tweed authors <tweed@localhost>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "server that simulates the clothes of characters")
set(CPACK_PACKAGE_DESCRIPTION
"tweed simulates skirts, jackets, capes and hair of characters that Lua
scripts describe, and streams the bones of bodies and clothes over TCP, Unix
sockets and WebSocket to game engines, editors and browsers.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "systemd")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "assimp-testmodels")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/server/packaging/debian/postinst ${PROJECT_SOURCE_DIR}/server/packaging/debian/prerm
    ${PROJECT_SOURCE_DIR}/server/packaging/debian/postrm ${PROJECT_SOURCE_DIR}/server/packaging/debian/conffiles)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/server/packaging/debian/prepare.cmake)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
