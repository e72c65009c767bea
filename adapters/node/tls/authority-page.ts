import { X509Certificate } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { securityHeaders } from '../../../runtime/http/headers.ts'
import type { Authority } from './authority.ts'
import steps from './authority-steps.json' with { type: 'json' }

/** A stable UUID of an authority, so that installing a profile again replaces it. */
function uuidOf({ fingerprint }: Authority, place: string): string {
  const hex = fingerprint.replaceAll(':', '').slice(0, 30).toLowerCase() + place
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const profileOf = (authority: Authority): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
  <key>PayloadType</key><string>Configuration</string>
  <key>PayloadVersion</key><integer>1</integer>
  <key>PayloadIdentifier</key><string>hearthd.authority</string>
  <key>PayloadUUID</key><string>${uuidOf(authority, '01')}</string>
  <key>PayloadDisplayName</key><string>hearthd</string>
  <key>PayloadContent</key><array><dict>
    <key>PayloadType</key><string>com.apple.security.root</string>
    <key>PayloadVersion</key><integer>1</integer>
    <key>PayloadIdentifier</key><string>hearthd.authority.certificate</string>
    <key>PayloadUUID</key><string>${uuidOf(authority, '02')}</string>
    <key>PayloadDisplayName</key><string>hearthd</string>
    <key>PayloadContent</key><data>${new X509Certificate(authority.pem).raw.toString('base64')}</data>
  </dict></array>
</dict></plist>
`

const pageOf = ({ fingerprint }: Authority, secure: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Trust hearthd</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
code{overflow-wrap:anywhere}section{margin:1.5rem 0}h2{font-size:1.1rem;margin:0}p{margin:.3rem 0}
</style></head><body>
<h1>Trust hearthd on this device</h1>
<p>Camera, location and notifications work only on pages that a device trusts. Install the authority of this hearthd
once, then open <a href="${secure}">${secure}</a>.</p>
<p>Compare the SHA-256 fingerprint with the one that <code>hearthd start</code> or <code>hearthd status</code> shows.
If they differ, somebody is between you and hearthd: install nothing.</p>
<p><code>${fingerprint}</code></p>
${steps.map(({ system, file, steps: text }) => `<section><h2>${system}</h2><p><a href="/ca/${file}">${file}</a></p><p>${text}</p></section>`).join('\n')}
</body></html>
`

const files: Readonly<Record<string, [type: string, content: (authority: Authority) => string | Buffer]>> = {
  '/ca/hearthd.crt': ['application/x-x509-ca-cert', ({ pem }) => new X509Certificate(pem).raw],
  '/ca/hearthd.pem': ['application/x-pem-file', ({ pem }) => pem],
  '/ca/hearthd.mobileconfig': ['application/x-apple-aspen-config', profileOf],
}

export const isAuthorityRequest = ({ method = '', url = '' }: IncomingMessage): boolean =>
  ['GET', 'HEAD'].includes(method) && (/^\/ca\/?$/.test(url) || Object.hasOwn(files, url))

/** Answers with the page that installs an authority, or with one of its files. All of it is public. */
export function answerWithAuthority(authority: Authority, request: IncomingMessage, response: ServerResponse): void {
  const { url = '', headers } = request
  const [type, contentOf] = files[url] ?? [
    'text/html; charset=utf-8',
    () => pageOf(authority, `https://${headers.host}/`),
  ]
  const content = contentOf(authority)
  response.writeHead(200, {
    ...securityHeaders,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    'content-type': type,
    'content-length': Buffer.byteLength(content),
    'cache-control': 'no-store',
    ...(files[url] && { 'content-disposition': `attachment; filename="${url.slice('/ca/'.length)}"` }),
  })
  response.end(request.method === 'HEAD' ? undefined : content)
}
