/** Ways in which a page makes the browser ask for `url`; each is the whole of a page. */
export interface Vector {
  name: string
  page(url: string): string
  /** With which the page is answered. */
  headers?(url: string): Record<string, string>
  /** What the page asks of its own origin. */
  scripts?: Record<string, (url: string) => string>
}

const script = (code: string) => `<script>${code}</script>`
const worker = (code: (url: string) => string): Vector['scripts'] => ({ '/worker.js': code })
const text = (url: string) => JSON.stringify(url)

export const vectors: readonly Vector[] = [
  { name: 'img', page: (url) => `<img src="${url}">` },
  { name: 'srcset', page: (url) => `<img srcset="${url} 1x">` },
  { name: 'picture', page: (url) => `<picture><source srcset="${url}"><img></picture>` },
  { name: 'input image', page: (url) => `<input type="image" src="${url}">` },
  { name: 'svg image', page: (url) => `<svg><image href="${url}" width="9" height="9"/></svg>` },
  { name: 'script', page: (url) => `<script src="${url}"></script>` },
  { name: 'module', page: (url) => `<script type="module" src="${url}"></script>` },
  { name: 'dynamic import', page: (url) => script(`import(${text(url)}).catch(() => 0)`) },
  { name: 'module preload', page: (url) => `<link rel="modulepreload" href="${url}">` },
  { name: 'style sheet', page: (url) => `<link rel="stylesheet" href="${url}">` },
  { name: 'style import', page: (url) => `<style>@import url("${url}");</style>` },
  { name: 'css url', page: (url) => `<div style="background:url('${url}');width:9px;height:9px">x</div>` },
  {
    name: 'font',
    page: (url) => `<style>@font-face{font-family:f;src:url("${url}")}p{font-family:f}</style><p>text</p>`,
  },
  { name: 'iframe', page: (url) => `<iframe src="${url}"></iframe>` },
  { name: 'sandboxed iframe', page: (url) => `<iframe sandbox src="${url}"></iframe>` },
  { name: 'frameset', page: (url) => `<frameset><frame src="${url}"></frameset>` },
  { name: 'object', page: (url) => `<object data="${url}"></object>` },
  { name: 'embed', page: (url) => `<embed src="${url}">` },
  { name: 'video', page: (url) => `<video src="${url}" preload="auto"></video>` },
  { name: 'audio', page: (url) => `<audio src="${url}" preload="auto"></audio>` },
  { name: 'video poster', page: (url) => `<video poster="${url}"></video>` },
  { name: 'fetch', page: (url) => script(`fetch(${text(url)}).catch(() => 0)`) },
  { name: 'fetch no-cors', page: (url) => script(`fetch(${text(url)}, {mode:'no-cors'}).catch(() => 0)`) },
  { name: 'fetch keepalive', page: (url) => script(`fetch(${text(url)}, {keepalive:true}).catch(() => 0)`) },
  { name: 'preflight', page: (url) => script(`fetch(${text(url)}, {method:'PUT'}).catch(() => 0)`) },
  {
    name: 'xhr',
    page: (url) => script(`const x = new XMLHttpRequest; x.open('POST', ${text(url)}); x.send()`),
  },
  { name: 'beacon', page: (url) => script(`navigator.sendBeacon(${text(url)}, 'x')`) },
  { name: 'event source', page: (url) => script(`new EventSource(${text(url)})`) },
  { name: 'web socket', page: (url) => script(`new WebSocket(${text(url.replace('http', 'ws'))})`) },
  {
    name: 'fetch in a worker',
    page: () => script(`new Worker('/worker.js')`),
    scripts: worker((url) => `fetch(${text(url)}).catch(() => 0)`),
  },
  {
    name: 'import in a worker',
    page: () => script(`new Worker('/worker.js')`),
    scripts: worker((url) => `importScripts(${text(url)})`),
  },
  {
    name: 'web socket in a worker',
    page: () => script(`new Worker('/worker.js')`),
    scripts: worker((url) => `new WebSocket(${text(url.replace('http', 'ws'))})`),
  },
  {
    name: 'fetch in a shared worker',
    page: () => script(`new SharedWorker('/worker.js')`),
    scripts: worker((url) => `fetch(${text(url)}).catch(() => 0)`),
  },
  {
    name: 'worker of a blob',
    page: (url) => script(`new Worker(URL.createObjectURL(new Blob(['fetch(' + ${text(text(url))} + ')'])))`),
  },
  {
    name: 'service worker',
    page: (url) => script(`navigator.serviceWorker.register('/worker.js?of=' + encodeURIComponent(${text(url)}))`),
    scripts: worker((url) => `oninstall = (e) => e.waitUntil(fetch(${text(url)}).catch(() => 0))`),
  },
  { name: 'form get', page: (url) => `<form action="${url}"></form>${script('document.forms[0].submit()')}` },
  {
    name: 'form post',
    page: (url) =>
      `<form method="post" action="${url}"><input name="a" value="b"></form>${script('document.forms[0].submit()')}`,
  },
  { name: 'location', page: (url) => script(`location.href = ${text(url)}`) },
  { name: 'meta refresh', page: (url) => `<meta http-equiv="refresh" content="0;url=${url}">` },
  { name: 'popup', page: (url) => script(`open(${text(url)})`) },
  { name: 'popup without opener', page: (url) => script(`open(${text(url)}, '_blank', 'noopener')`) },
  { name: 'link', page: (url) => `<a id="a" href="${url}">x</a>${script('a.click()')}` },
  {
    name: 'link to a new tab',
    page: (url) => `<a id="a" target="_blank" href="${url}">x</a>${script('a.click()')}`,
  },
  { name: 'download', page: (url) => `<a id="a" download href="${url}">x</a>${script('a.click()')}` },
  { name: 'ping', page: (url) => `<a id="a" href="#b" ping="${url}">x</a>${script('a.click()')}` },
  { name: 'prefetch', page: (url) => `<link rel="prefetch" href="${url}">` },
  { name: 'preload', page: (url) => `<link rel="preload" as="image" href="${url}">` },
  { name: 'redirect of an img', page: (url) => `<img src="/redirect/302?to=${encodeURIComponent(url)}">` },
  {
    name: 'redirect of a frame',
    page: (url) => `<iframe src="/redirect/307?to=${encodeURIComponent(url)}"></iframe>`,
  },
  {
    name: 'redirect of a fetch',
    page: (url) => script(`fetch('/redirect/308?to=' + encodeURIComponent(${text(url)})).catch(() => 0)`),
  },
  {
    name: 'redirect of a module worker',
    page: () => script(`new Worker('/worker.js', {type:'module'})`),
    scripts: worker((url) => `import(${text(url)}).catch(() => 0)`),
  },
  {
    name: 'report of a policy',
    page: () => `<img src="http://unseen.example/">`,
    headers: (url) => ({ 'content-security-policy': `img-src 'none'; report-uri ${url}` }),
  },
  {
    name: 'link header',
    page: () => '<title>x</title>',
    headers: (url) => ({ link: `<${url}>; rel=preload; as=style` }),
  },
  {
    name: 'refresh header',
    page: () => '<title>x</title>',
    headers: (url) => ({ refresh: `0; url=${url}` }),
  },
  {
    name: 'subtitles',
    page: (url) =>
      `<video crossorigin><track default kind="subtitles" src="${url}"></video>${script('document.querySelector("track").track.mode = "showing"')}`,
  },
  { name: 'background', page: (url) => `<body background="${url}">` },
  {
    name: 'import map',
    page: (url) =>
      `<script type="importmap">{"imports":{"x":${text(url)}}}</script>${script('import("x").catch(() => 0)')}`,
  },
  {
    name: 'cursor',
    page: (url) =>
      `<style>html{cursor:url("${url}"),auto;list-style-image:url("${url}")}li{display:list-item}</style><ul><li>x</ul>`,
  },
  {
    name: 'mask',
    page: (url) => `<div style="mask-image:url('${url}');width:9px;height:9px;background:red">x</div>`,
  },
  {
    name: 'page of a blob',
    page: (url) =>
      script(
        `const f = document.createElement('iframe'); f.src = URL.createObjectURL(new Blob(['<img src=' + ${text(text(url))} + '>'], {type:'text/html'})); document.body ? document.body.append(f) : document.documentElement.append(f)`,
      ),
  },
  {
    name: 'window that is written',
    page: (url) => script(`const w = open('about:blank'); w.document.write('<img src=' + ${text(text(url))} + '>')`),
  },
  {
    name: 'window on the way of a redirect',
    page: (url) => script(`open('/redirect/302?to=' + encodeURIComponent(${text(url)}))`),
  },
  {
    name: 'download on the way of a redirect',
    page: (url) => `<a id="a" download href="/redirect/302?to=${encodeURIComponent(url)}">x</a>${script('a.click()')}`,
  },
  {
    name: 'form of a button',
    page: (url) => `<form><button id="b" formmethod="post" formaction="${url}">x</button></form>${script('b.click()')}`,
  },
  {
    name: 'form into a new tab',
    page: (url) =>
      `<form method="post" target="_blank" enctype="text/plain" action="${url}"><input name="a" value="b"></form>${script('document.forms[0].submit()')}`,
  },
  {
    name: 'form of a dialog',
    page: (url) =>
      `<form action="${url}" target="f"></form><iframe name="f"></iframe>${script('document.forms[0].requestSubmit()')}`,
  },
  {
    name: 'ping into nowhere',
    page: (url) => `<a id="a" href="javascript:void 0" ping="${url}">x</a>${script('a.click()')}`,
  },
  {
    name: 'service worker that answers with it',
    page: (url) =>
      script(
        `navigator.serviceWorker.register('/worker.js?answers=' + encodeURIComponent(${text(url)})).then(() => navigator.serviceWorker.ready).then(() => fetch('/through')).catch(() => 0)`,
      ),
    scripts: worker(
      (url) =>
        `oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim().then(() => fetch(${text(url)}, {mode:'no-cors'}).catch(() => 0)))`,
    ),
  },
  { name: 'page in srcdoc', page: (url) => `<iframe srcdoc='<img src="${url}">'></iframe>` },
  { name: 'page in data', page: (url) => `<iframe src='data:text/html,<img src="${url}">'></iframe>` },
]

/** Ways that need not end in a request: none of them may reach a host that is closed, nor the name server. */
export const quietVectors: readonly Vector[] = [
  { name: 'dns-prefetch', page: (url) => `<link rel="dns-prefetch" href="${url}">` },
  { name: 'preconnect', page: (url) => `<link rel="preconnect" href="${url}">` },
  {
    name: 'icon',
    page: (url) => `<link rel="icon" href="${url}"><link rel="apple-touch-icon" href="${url}">`,
  },
  { name: 'manifest', page: (url) => `<link rel="manifest" href="${url}">` },
  {
    name: 'speculation rules',
    page: (url) =>
      `<script type="speculationrules">{"prefetch":[{"source":"list","urls":[${text(url)}],"eagerness":"immediate"}],"prerender":[{"source":"list","urls":[${text(url)}],"eagerness":"immediate"}]}</script>`,
  },
  { name: 'prerender', page: (url) => `<link rel="prerender" href="${url}">` },
  {
    name: 'reporting endpoints',
    page: () => '<img src="http://unseen.example/">',
    headers: (url) => ({
      'reporting-endpoints': `main="${url}"`,
      'report-to': JSON.stringify({ group: 'main', max_age: 99, endpoints: [{ url }] }),
      nel: '{"report_to":"main","max_age":99}',
      'content-security-policy': "img-src 'none'; report-to main",
    }),
  },
  {
    name: 'WebRTC',
    page: (url) => {
      const { host } = new URL(url)
      const servers = ['stun:HOST', 'turn:HOST?transport=udp', 'turn:HOST?transport=tcp', 'turns:HOST?transport=tcp']
      const ice = servers.map((server) => ({
        urls: server.replace('HOST', host),
        username: 'a',
        credential: 'b',
      }))
      return script(`const peer = new RTCPeerConnection({iceServers: ${JSON.stringify(ice)}})
        peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer))`)
    },
  },
  {
    name: 'WebTransport',
    page: (url) => script(`new WebTransport(${text(url.replace('http:', 'https:'))}).ready.catch(() => 0)`),
  },
  {
    name: 'external protocol',
    page: (url) =>
      script(
        `onload = () => setTimeout(() => { location.href = 'intent://' + new URL(${text(url)}).host + '#Intent;scheme=http;end' })`,
      ),
  },
  {
    name: 'source of a page',
    page: (url) => `<a id="a" target="_blank" href="view-source:${url}">x</a>${script('a.click()')}`,
  },
  {
    name: 'page in data at the top',
    page: (url) => script(`location.href = 'data:text/html,<img src=' + ${text(url)} + '>'`),
  },
  {
    name: 'script as an address',
    page: (url) => `<a id="a" href="javascript:fetch('${url}')">x</a>${script('a.click()')}`,
  },
  {
    name: 'file',
    page: () =>
      `<a id="a" target="_blank" href="file:///etc/passwd">x</a><iframe src="file:///etc/passwd"></iframe>${script('a.click()')}`,
  },
  {
    name: 'page of the browser',
    page: () =>
      `<a id="a" target="_blank" href="chrome://net-export/">x</a>${script('a.click(); open("chrome://gpu")')}`,
  },
  {
    name: 'portal and fenced frame',
    page: (url) => `<fencedframe src="${url}"></fencedframe><portal src="${url}"></portal>`,
  },
  {
    name: 'push and background fetch',
    page: (url) =>
      script(
        `navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then((one) => one.backgroundFetch?.fetch('x', [${text(url)}])).catch(() => 0)`,
      ),
    scripts: worker(() => 'oninstall = () => skipWaiting()'),
  },
  {
    name: 'payment and identity',
    page: (url) =>
      script(
        `try { new PaymentRequest([{supportedMethods: ${text(url)}}], {total: {label: 'x', amount: {currency: 'EUR', value: '1'}}}).canMakePayment().catch(() => 0) } catch {} ; navigator.credentials?.get({identity: {providers: [{configURL: ${text(url)}, clientId: 'x'}]}}).catch(() => 0)`,
      ),
  },
]
