// Shows notifications that arrive while the page is closed. It caches nothing: a device without its daemon is of no use.
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('push', (event) => {
  const { title = 'hearthd', body = '' } = event.data?.json() ?? {}
  event.waitUntil(self.registration.showNotification(title, { body, icon: '/favicon.svg' }))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(
    self.clients.matchAll({ type: 'window', includeUncontrolled: true }).then((pages) => {
      const page = pages.find(({ url }) => new URL(url).pathname.startsWith('/device'))
      return page ? page.focus() : self.clients.openWindow('/device')
    }),
  )
})
