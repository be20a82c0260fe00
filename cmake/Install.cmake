# `cmake --install build`: header, library, command, CUDA module, a pkg-config file and a CMake package (find_package(subgame)).

include(CMakePackageConfigHelpers)

# subgame_dependencies is exported since a static libsubgame needs its libraries at link time.
install(TARGETS subgame subgame_dependencies EXPORT subgame)
install(FILES include/subgame.h TYPE INCLUDE)
install(TARGETS subgame-gpu)
if(SUBGAME_HAVE_CUDA)
    install(TARGETS subgame_cuda DESTINATION ${CMAKE_INSTALL_LIBDIR}) # where src/cuda_module.c looks
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/subgame)
install(EXPORT subgame NAMESPACE subgame:: FILE subgameTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/subgameConfig.cmake.in subgameConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(subgameConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/subgameConfig.cmake ${PROJECT_BINARY_DIR}/subgameConfigVersion.cmake
        DESTINATION ${package_dir})

foreach(library IN LISTS CMAKE_DL_LIBS)
    list(APPEND SUBGAME_PRIVATE_LIBRARIES -l${library})
endforeach()
list(JOIN SUBGAME_PRIVATE_LIBRARIES " " SUBGAME_PRIVATE_LIBRARIES)
if(BUILD_SHARED_LIBS)
    set(SUBGAME_PC_LIBS "-lsubgame")
    set(SUBGAME_PC_PRIVATE "${SUBGAME_PRIVATE_LIBRARIES}")
else()
    set(SUBGAME_PC_LIBS "-lsubgame ${SUBGAME_PRIVATE_LIBRARIES}") # no shared library to fall back on
    set(SUBGAME_PC_PRIVATE "")
endif()
# Relative to the file, so that --prefix and DESTDIR may still move the package.
file(RELATIVE_PATH SUBGAME_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/subgame.pc.in subgame.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/subgame.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
