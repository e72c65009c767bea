import { escapeHtml } from '../escape-html.ts'
import { type FormField, inputName, labelOf } from '../form-fields.ts'
import type { Form, FormPage } from './form.ts'

/** Pages of forms: without scripts, and nothing is loaded from elsewhere. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

const style = `:root{color-scheme:light dark;--line:#8886;--error:#c92a2a}
@media(prefers-color-scheme:dark){:root{--error:#ff8787}}
html{background:Canvas;color:CanvasText}
body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem;overflow-wrap:anywhere}p{white-space:pre-line;overflow-wrap:anywhere}
.field{margin:1.2rem 0;border:0;padding:0;min-width:0}label,legend{display:block;font-weight:600;padding:0}
fieldset label,.check label{font-weight:400;display:flex;gap:.5rem;align-items:baseline}
input:not([type=checkbox]),select,textarea{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;
border:1px solid var(--line);border-radius:6px;background:Field;color:FieldText}
[aria-invalid=true]{border-color:var(--error)!important}.error{color:var(--error);margin:.2rem 0}
button{font:inherit;padding:.6rem 1.4rem;border-radius:6px;border:0;background:#2b6cb0;color:#fff;cursor:pointer}
.choices{display:flex;gap:.75rem;flex-wrap:wrap}.other{background:none;color:inherit;border:1px solid var(--line)}`

interface Html {
  title: string
  body: string
  /** Seconds until the browser continues, and where. */
  refresh?: string
  status?: number
}

function htmlResponse({ title, body, refresh, status = 200 }: Html): Response {
  const head = refresh === undefined ? '' : `<meta http-equiv="refresh" content="${escapeHtml(refresh)}">`
  const heading = `<h1>${escapeHtml(title)}</h1>`
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">${head}<title>${escapeHtml(title)}</title>
<style>${style}</style></head><body><main>${heading}
${body}</main></body></html>
`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
  return new Response(html, { status, headers })
}

const paragraph = (text: string): string => (text === '' ? '' : `<p>${escapeHtml(text)}</p>`)

export interface Filled {
  form: Form
  /** What was sent, and what is wrong with it by position of the field. */
  sent?: URLSearchParams
  problems?: ReadonlyMap<number, string>
  /** Identifies the page of an execution. */
  page: string
  /** Of an approval: each is a button. */
  choices?: readonly string[]
}

/** The page with a form, with what was sent if it has to be corrected. */
export function formResponse({ form, sent, problems = new Map(), page, choices = [] }: Filled): Response {
  const fields = form.fields.map((field, index) =>
    fieldHtml(field, index, { values: sent?.getAll(inputName(index)) ?? startOf(field), problem: problems.get(index) }),
  )
  const summary = problems.size > 0 ? '<p class="error" role="alert">Some fields have to be corrected.</p>' : ''
  const encoding = form.fields.some(({ type }) => type === 'file') ? ' enctype="multipart/form-data"' : ''
  const body = `${paragraph(form.description)}${summary}<form method="post"${encoding}>
<input type="hidden" name="page" value="${escapeHtml(page)}">
${fields.join('\n')}
${choices.length > 0 ? choiceHtml(choices) : `<button>${escapeHtml(form.button || 'Submit')}</button>`}</form>`
  return htmlResponse({ title: form.title || 'Form', body, status: problems.size > 0 ? 422 : 200 })
}

/** The first choice needs the fields that are required, the others do not. */
function choiceHtml(choices: readonly string[]): string {
  const buttons = choices.map(
    (choice, index) =>
      `<button name="choice" value="${escapeHtml(choice)}"${index > 0 ? ' class="other" formnovalidate' : ''}>${escapeHtml(choice)}</button>`,
  )
  return `<div class="field"><label for="comment">Comment</label><textarea id="comment" name="comment" rows="2" maxlength="5000"></textarea></div>
<div class="choices">${buttons.join('\n')}</div>`
}

const startOf = ({ value }: FormField): string[] => (value === '' ? [] : [value])

interface Shown {
  values: readonly string[]
  problem: string | undefined
}

function fieldHtml(field: FormField, index: number, { values, problem }: Shown): string {
  const name = inputName(index)
  const [value = ''] = values
  const { type, options, required, placeholder } = field
  if (type === 'hidden') return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`
  const error = problem === undefined ? '' : `<p class="error" id="${name}e">${escapeHtml(problem)}</p>`
  const invalid = error && ` aria-invalid="true" aria-describedby="${name}e"`
  const common = `id="${name}" name="${name}"${required ? ' required' : ''}${invalid}`
  const hint = placeholder === '' ? '' : ` placeholder="${escapeHtml(placeholder)}"`
  const text = escapeHtml(labelOf(field)) + (required ? ' <span aria-hidden="true">*</span>' : '')
  const box = (of: string, label: string, isOn: boolean, more = '') =>
    `<label><input type="checkbox" name="${name}" value="${escapeHtml(of)}"${isOn ? ' checked' : ''}${more}>${label}</label>`
  if (type === 'multiselect') {
    const boxes = options.map((option) => box(option, escapeHtml(option), values.includes(option))).join('')
    return `<fieldset class="field"${invalid}><legend>${text}</legend>${boxes}${error}</fieldset>`
  }
  if (type === 'checkbox')
    return `<div class="field check">${box('on', text, value !== '', `${required ? ' required' : ''}${invalid}`)}${error}</div>`
  const control = () => {
    if (type === 'multiline') return `<textarea ${common} rows="5"${hint}>${escapeHtml(value)}</textarea>`
    if (type !== 'select')
      return `<input ${common} type="${type}"${type === 'number' ? ' step="any"' : ''}${hint} value="${escapeHtml(value)}">`
    const choices = options.map(
      (option) => `<option${option === value ? ' selected' : ''}>${escapeHtml(option)}</option>`,
    )
    return `<select ${common}><option value="">${escapeHtml(placeholder)}</option>${choices.join('')}</select>`
  }
  return `<div class="field"><label for="${name}">${text}</label>${control()}${error}</div>`
}

/** After the last page. */
export const endResponse = ({ title, text, url }: FormPage): Response =>
  htmlResponse({
    title: title || 'Thank you',
    body: paragraph(text) + (url === '' ? '' : `<p><a href="${escapeHtml(url)}">Continue</a></p>`),
    ...(url === '' ? {} : { refresh: `0; url=${url}` }),
  })

export const workingResponse = (): Response =>
  htmlResponse({ title: 'Please wait', body: paragraph('The next page opens by itself.'), refresh: '2' })

export const messageResponse = (title: string, text: string, status: number): Response =>
  htmlResponse({ title, body: paragraph(text), status })

/** Sends the browser to the page of an execution. */
export const seeOther = (path: string): Response =>
  new Response(null, { status: 303, headers: { location: path, 'cache-control': 'no-store' } })
