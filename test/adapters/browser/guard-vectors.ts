/** Ways in which a page makes the browser ask for `url`; each is the whole of a page. */
export interface Vector {
  name: string
  page(url: string): string
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
    page: (url) =>
      script(`navigator.serviceWorker.register('/worker.js?of=' + encodeURIComponent(${text(url)}))`),
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
  { name: 'page in srcdoc', page: (url) => `<iframe srcdoc='<img src="${url}">'></iframe>` },
  { name: 'page in data', page: (url) => `<iframe src='data:text/html,<img src="${url}">'></iframe>` },
]
