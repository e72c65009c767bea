/** Variables that desktop programs need: paths, display, session and language. */
const names = new Set(
  `PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TEMP TMP DISPLAY XAUTHORITY WAYLAND_DISPLAY SWAYSOCK
  DESKTOP_SESSION DBUS_SESSION_BUS_ADDRESS PULSE_SERVER BROWSER __CF_USER_TEXT_ENCODING USERNAME USERPROFILE HOMEDRIVE
  HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT`.split(/\s+/),
)
const groups = /^(?:LC|XDG)_/

/** The environment for a desktop program, without the credentials that this process may hold. */
export const desktopEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => names.has(name.toUpperCase()) || groups.test(name)))
