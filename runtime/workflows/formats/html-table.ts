import { cellText, columnsOf } from './csv.ts'

export const escapedHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Items as a page with a table. */
export function tableHtml(items: readonly Record<string, unknown>[]): string {
  const names = columnsOf(items)
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escapedHtml(cell)}</${tag}>`).join('')}</tr>`
  const rows = items.map((item) =>
    row(
      names.map((name) => cellText(item[name])),
      'td',
    ),
  )
  return `<!doctype html><html><head><meta charset="utf-8"></head><body><table>\n${[row(names, 'th'), ...rows].join('\n')}\n</table></body></html>\n`
}
