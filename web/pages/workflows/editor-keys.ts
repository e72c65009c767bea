import { useHotkeys } from '@mantine/hooks'
import { useEffect, useEffectEvent } from 'react'

export interface EditorKeys {
  undo(): void
  redo(): void
  duplicate(): void
  selectAll(): void
  remove(): void
  /** The selected nodes as text, or null if none is selected. */
  copy(): string | null
  paste(text: string): void
}

/** Keys that work wherever the focus is, but not in fields, dialogs and menus. */
export function useEditorKeys({ copy, paste, remove, ...keys }: EditorKeys): void {
  useHotkeys([
    ['mod+Z', outside(keys.undo)],
    ['mod+shift+Z', outside(keys.redo)],
    ['mod+Y', outside(keys.redo)],
    ['mod+D', outside(keys.duplicate)],
    ['mod+A', outside(keys.selectAll)],
    ['Delete', outside(remove)],
    ['Backspace', outside(remove)],
  ])
  const take = (event: ClipboardEvent): boolean => {
    const text = isText(event.target) ? null : copy()
    if (text === null) return false
    event.preventDefault()
    event.clipboardData?.setData('text/plain', text)
    return true
  }
  const onCopy = useEffectEvent(take)
  const onCut = useEffectEvent((event: ClipboardEvent) => {
    if (take(event)) remove()
  })
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    if (isText(event.target)) return
    event.preventDefault()
    paste(event.clipboardData?.getData('text/plain') ?? '')
  })
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    document.addEventListener('copy', onCopy, { signal })
    document.addEventListener('cut', onCut, { signal })
    document.addEventListener('paste', onPaste, { signal })
    return () => stop.abort()
  }, [])
}

const overlays = '[role=dialog], [role=menu]'

const outside = (act: () => void) => (event: KeyboardEvent) => {
  if (!(event.target as Element).closest(overlays)) act()
}

/** Whether the clipboard is for text: in fields and dialogs, and while text is selected. */
const isText = (target: EventTarget | null): boolean =>
  (target as Element).closest(`input, textarea, select, ${overlays}`) !== null || getSelection()?.isCollapsed === false
