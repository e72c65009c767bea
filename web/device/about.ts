/** What this browser calls itself in hearthd's lists, such as `Firefox on Windows`. */

export const browserKind = /Edg\//.test(navigator.userAgent)
  ? 'Edge'
  : /Firefox\//.test(navigator.userAgent)
    ? 'Firefox'
    : /Chrome\//.test(navigator.userAgent)
      ? 'Chrome'
      : 'Safari'

const systems = { Android: /android/i, iOS: /iphone|ipad/i, macOS: /mac os/i, Windows: /windows/i, Linux: /linux/i }
const system = Object.entries(systems).find(([, pattern]) => pattern.test(navigator.userAgent))?.[0]

export const browserName = `${browserKind} on ${system ?? 'this computer'}`
