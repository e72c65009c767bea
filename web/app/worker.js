/*
 * The service worker. The build puts its id above, as `build`, so that each build has a worker of its own. For the UI it
 * keeps the code of all pages, never an answer of the API, and shows notifications. For the page of devices, whose scope
 * is `/device`, it only shows notifications: a device without its daemon is of no use.
 */
const isUi = !self.registration.scope.endsWith('/device')
const shell = ['/index.html', '/theme.js', '/favicon.svg', '/app.webmanifest']
const own = /^\/(api|health|ws|device|mcp)(\/|$)/

async function keep() {
  const code = await (await fetch('/code.json')).json()
  await (await caches.open(build)).addAll([...shell, ...code])
}

async function dropOthers() {
  for (const name of await caches.keys()) if (name !== build) await caches.delete(name)
}

self.addEventListener('install', (event) => {
  self.skipWaiting()
  if (isUi) event.waitUntil(keep())
})

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([isUi && dropOthers(), self.clients.claim()]))
})

self.addEventListener('fetch', (event) => {
  const { method, url, mode } = event.request
  const { origin, pathname } = new URL(url)
  if (!isUi || method !== 'GET' || origin !== location.origin || own.test(pathname)) return
  if (pathname.startsWith('/assets/')) event.respondWith(kept(pathname).then((file) => file ?? fetch(event.request)))
  else if (mode === 'navigate') event.respondWith(newest(event.request, '/index.html'))
  else if (shell.includes(pathname)) event.respondWith(newest(event.request, pathname))
})

/** Not `open`, which would make a cache that was removed. */
const kept = (path) => caches.match(path, { cacheName: build })

/** Milliseconds after which a daemon that hangs counts as one that is down. */
const patience = 5_000

/** What the daemon has, so that a new build is opened at once; the kept file if it, or a proxy's way to it, is down. */
async function newest(request, path) {
  const late = new Promise((_, reject) => setTimeout(reject, patience))
  const response = await Promise.race([fetch(request), late]).catch(() => undefined)
  return response && response.status < 502 ? response : ((await kept(path)) ?? Response.error())
}

self.addEventListener('push', (event) => {
  const { title = 'hearthd', body = '', href, tag } = event.data?.json() ?? {}
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: href, icon: '/favicon.svg' }))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data ?? (isUi ? '/' : '/device')))
})

/** Shows a page in the window that is open, without loading it again, or in a new one. */
async function open(href) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page = windows.find(({ url }) => new URL(url).pathname.startsWith('/device') === href.startsWith('/device'))
  if (!page) return self.clients.openWindow(href)
  page.postMessage({ open: href })
  return page.focus()
}
