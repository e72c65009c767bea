/** Where a page accepts files. */

import { idOf } from './registry.ts'

export interface UploadTarget {
  /** Id of the file field. */
  field: number | null
  /**
   * Without a field: whether the element takes drops, or may ask for files when clicked. A disabled field is
   * `off`.
   */
  method: 'drop' | 'ask' | 'off' | null
  /** Selectors of the file fields of its document. */
  fields: string[]
}

/** How pages in many languages label a button that asks for files. */
const fileWords =
  /upload|attach|files?\b|browse|choose|import|photo|picture|image|avatar|document|datei|anh[äa]ng|hochladen|durchsuchen|bild|foto|fichier|joindre|parcourir|t[ée]l[ée]vers|archivo|adjunt|subir|arquivo|anexar|carica|allega|bestand|bijlage|plik|загруз|файл|прикреп|附件|上传|文件|ファイル|添付|アップロード|파일|첨부/i

const isFileField = (element: Element): element is HTMLInputElement =>
  element instanceof HTMLInputElement && element.type === 'file'

const fileFields = (root: ParentNode): HTMLInputElement[] => [...root.querySelectorAll('input')].filter(isFileField)

const selectorOf = ({ id, name }: HTMLInputElement): string =>
  id ? `#${CSS.escape(id)}` : name ? `input[name="${CSS.escape(name)}"]` : 'input[type=file]'

/** Finds where to put files, without doing anything that the page would notice as user input. */
export function uploadTarget(element: Element): UploadTarget {
  const root = element.getRootNode() as Document | ShadowRoot
  const fields = [...new Set(fileFields(root).map(selectorOf))].slice(0, 8)
  const field = fieldOf(element)
  if (field?.matches(':disabled')) return { field: null, method: 'off', fields }
  if (field) return { field: idOf(field), method: null, fields }
  return { field: null, method: takesDrops(element) ? 'drop' : mayAsk(element) ? 'ask' : null, fields }
}

/** The field itself, that of its label, the only one inside, or the one that belongs to a button. */
function fieldOf(element: Element): HTMLInputElement | null {
  const own = isFileField(element) ? element : element.closest('label')?.control
  if (own && isFileField(own)) return own
  const [first, second] = fileFields(element)
  if (first && !second) return first
  const button = buttonOf(element)
  // A button that does not mention files counts only if nothing else is next to the field.
  const others = button.parentElement?.querySelectorAll('button,a[href],[role=button],select,textarea') ?? []
  return fieldNear(button, speaksOfFiles(button) ? 50 : leadsElsewhere(button) || others.length > 1 ? 0 : 1)
}

function fieldNear(button: Element, maxSteps: number): HTMLInputElement | null {
  let around: Element | null = button
  for (let steps = 0; around && steps < maxSteps; steps += 1) {
    around = around.parentElement
    const within = around ? fileFields(around) : []
    if (within.length > 0) return within.length === 1 ? (within[0] ?? null) : null
  }
  return null
}

const buttonOf = (element: Element): Element =>
  element.closest('button,[role=button],[role=menuitem],[role=link],input,a,summary,[onclick],[tabindex]') ?? element

function speaksOfFiles(button: Element): boolean {
  const names = ['aria-label', 'title', 'id', 'class', 'name', 'value', 'data-testid', 'alt']
  return fileWords.test([...names.map((name) => button.getAttribute(name)), button.textContent].join(' '))
}

/** Submits a form, or leads to another page. */
function leadsElsewhere(button: Element): boolean {
  const submits =
    button.matches('button:not([type=button]),input[type=submit],input[type=image]') && button.closest('form')
  return (
    (submits !== false && submits !== null) ||
    button.matches('a[href]:not([href^="#"]):not([href^="javascript:"]),[type=reset]')
  )
}

function takesDrops(element: Element): boolean {
  const data = { bubbles: true, cancelable: true, composed: true, dataTransfer: new DataTransfer() }
  data.dataTransfer.items.add(new File([], 'file'))
  return !element.dispatchEvent(new DragEvent('dragover', data))
}

function mayAsk(element: Element): boolean {
  const button = buttonOf(element)
  const clickable = button.matches('button,[role],a,input,[onclick],[tabindex]')
  return clickable && speaksOfFiles(button) && !leadsElsewhere(button)
}

export interface DroppedFile {
  name: string
  mimeType: string
  base64: string
}

export function dropFiles(zone: Element, files: DroppedFile[]): void {
  const dataTransfer = new DataTransfer()
  for (const { name, mimeType, base64 } of files)
    dataTransfer.items.add(new File([bytesOf(base64)], name, { type: mimeType }))
  const { x, y, width, height } = zone.getBoundingClientRect()
  const at = { clientX: x + width / 2, clientY: y + height / 2 }
  const options = { bubbles: true, cancelable: true, composed: true, dataTransfer, ...at }
  for (const type of ['dragenter', 'dragover', 'drop']) zone.dispatchEvent(new DragEvent(type, options))
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
