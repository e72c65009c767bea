import { escapeHtml } from '../../escape-html.ts'
import { cellText, columnsOf } from './csv.ts'

/** Items as a page with a table. */
export function tableHtml(items: readonly Record<string, unknown>[]): string {
  const names = columnsOf(items)
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`
  const rows = items.map((item) =>
    row(
      names.map((name) => cellText(item[name])),
      'td',
    ),
  )
  return `<!doctype html><html><head><meta charset="utf-8"></head><body><table>\n${[row(names, 'th'), ...rows].join('\n')}\n</table></body></html>\n`
}
