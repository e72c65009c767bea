import { askBoth } from './page/apart.ts'
import type { Element_ } from './page/target.ts'

/** What an element is for somebody who has files to give. */
export interface Place {
  field: Element_ | null
  /** Where there is no field: whether it takes what is dropped, or may ask for files when it is clicked. */
  way: 'drop' | 'ask' | 'off' | null
  /** Selectors of the fields of its document. */
  fields: string[]
}

/** Looks, and does nothing that a page would take for an act. */
export async function placeOf(element: Element_): Promise<Place> {
  const { found, said } = await askBoth(element, look)
  return { field: found, ...said }
}

/** Runs beside the page. */
function look(element: Element) {
  /** Files, in the words of pages in many languages. */
  const words =
    /upload|attach|files?\b|browse|choose|import|photo|picture|image|avatar|document|datei|anh[äa]ng|hochladen|durchsuchen|bild|foto|fichier|joindre|parcourir|t[ée]l[ée]vers|archivo|adjunt|subir|arquivo|anexar|carica|allega|bestand|bijlage|plik|загруз|файл|прикреп|附件|上传|文件|ファイル|添付|アップロード|파일|첨부/i
  const isField = (one: Element): one is HTMLInputElement =>
    one instanceof HTMLInputElement && one.type === 'file'
  const inside = (root: ParentNode) => [...root.querySelectorAll('input')].filter(isField)
  const selectorOf = ({ id, name }: HTMLInputElement) =>
    id ? `#${CSS.escape(id)}` : name ? `input[name="${CSS.escape(name)}"]` : 'input[type=file]'
  const root = element.getRootNode() as Document | ShadowRoot
  const fields = [...new Set(inside(root).map(selectorOf))].slice(0, 8)
  const told = (field: HTMLInputElement | null, way: Place['way']) =>
    field?.matches(':disabled')
      ? { found: null, said: { way: 'off' as Place['way'], fields } }
      : { found: field, said: { way, fields } }

  const label = element.closest('label')
  const own = isField(element) ? element : label?.control
  if (own && isField(own)) return told(own, null)
  const [first, second] = inside(element)
  if (first && !second) return told(first, null)

  const data = { bubbles: true, cancelable: true, composed: true, dataTransfer: new DataTransfer() }
  data.dataTransfer.items.add(new File([], 'file'))
  const takes = !element.dispatchEvent(new DragEvent('dragover', data))
  const button =
    element.closest(
      'button,[role=button],[role=menuitem],[role=link],input,a,summary,[onclick],[tabindex]',
    ) ?? element
  const says = ['aria-label', 'title', 'id', 'class', 'name', 'value', 'data-testid', 'alt'].map((name) =>
    button.getAttribute(name),
  )
  const hinted = words.test([...says, button.textContent].join(' '))
  /** What lies near by belongs to it; further away only where it speaks of files. */
  const near = (most: number) => {
    let around: Element | null = button
    for (let steps = 0; around && steps < most; steps += 1) {
      around = around.parentElement
      const within = around ? inside(around) : []
      if (within.length > 0) return within.length === 1 ? (within[0] ?? null) : null
    }
    return null
  }
  const submits =
    button.matches('button:not([type=button]),input[type=submit],input[type=image]') && button.closest('form')
  const leads = submits || button.matches('a[href]:not([href^="#"]):not([href^="javascript:"]),[type=reset]')
  // No word of files, but nothing else lies there with the field.
  const others = button.parentElement?.querySelectorAll('button,a[href],[role=button],select,textarea') ?? []
  const beside = near(hinted ? 50 : leads || others.length > 1 ? 0 : 1)
  if (beside) return told(beside, null)
  if (takes) return told(null, 'drop')
  return told(
    null,
    hinted && !leads && button.matches('button,[role],a,input,[onclick],[tabindex]') ? 'ask' : null,
  )
}
