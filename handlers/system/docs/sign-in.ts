import { html } from './html.ts'
import { style } from './style.ts'

/**
 * The page's only script: it reads the documentation with the session of the UI, or with a key that the person enters,
 * and shows it in place of this page.
 */
export const script = `
const form = document.querySelector('form')
const problem = document.querySelector('[role=alert]')
async function show(credential) {
  const response = await fetch('/api/docs/content', { headers: { authorization: 'Bearer ' + credential } })
  if (!response.ok) return false
  const markup = await response.text()
  document.open()
  document.write(markup)
  document.close()
  return true
}
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  problem.textContent = ''
  if (!(await show(form.key.value.trim()))) problem.textContent = 'hearthd does not accept this key.'
})
const session = JSON.parse(localStorage.getItem('hearthd.session') ?? 'null')
if (session) show(session.token)
`

/** Asks for a credential; it shows nothing of the API itself. */
export const signInPage = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hearthd: API</title>
<style>${{ markup: style }}</style>
</head>
<body>
<h1>hearthd API</h1>
<p>Sign in to hearthd in this browser, or enter an API key, to read the documentation.</p>
<form>
<label>API key <input name="key" type="password" autocomplete="off" required></label>
<button>Show</button>
<p role="alert"></p>
</form>
<script>${{ markup: script }}</script>
</body>
</html>
`.markup
