import { useHotkeys } from '@mantine/hooks'
import { useRef } from 'react'
import { areas } from './areas.tsx'

interface Actions {
  openPalette: () => void
  openKeys: () => void
  navigate: (path: string) => void
}

/** Milliseconds within which the second key of `g h` must follow. */
const sequence = 1_200

/** What `?` lists. */
export const shortcuts: readonly { keys: readonly string[]; does: string }[] = [
  { keys: ['Ctrl/⌘', 'K'], does: 'Find a page, a conversation, an agent or an action' },
  { keys: ['/'], does: 'Search on this page' },
  { keys: ['?'], does: 'Show keyboard shortcuts' },
  { keys: ['N'], does: 'New chat' },
  ...areas.map((area) => ({ keys: ['G', area.key.toUpperCase()], does: `Go to ${area.label}` })),
  { keys: ['Enter'], does: 'Send a message' },
  { keys: ['Shift', 'Enter'], does: 'New line in a message' },
  { keys: ['Ctrl/⌘', 'S'], does: 'Save a workflow' },
  { keys: ['Ctrl/⌘', 'Z'], does: 'Undo in a workflow; with Shift, redo' },
  { keys: ['Esc'], does: 'Close the open dialog or menu' },
]

/** The keys that work on every page; all but Ctrl K are ignored in fields and dialogs. */
export function useShortcuts({ openPalette, openKeys, navigate }: Actions): void {
  const lastG = useRef(Number.NEGATIVE_INFINITY)
  const afterG = (path: string) => (event: KeyboardEvent) =>
    event.timeStamp - lastG.current < sequence && outsideDialogs(() => navigate(path))()
  const search = outsideDialogs(() => focusSearch() || openPalette())
  const help = outsideDialogs(openKeys)

  useHotkeys([['mod+K', openPalette]], [], true)
  useHotkeys([
    ...areas.map((area): [string, (event: KeyboardEvent) => void] => [area.key, afterG(area.path)]),
    ['g', (event) => (lastG.current = event.timeStamp)],
    ['n', outsideDialogs(() => navigate('/chat'))],
    // Some keyboard layouts need Shift for these characters.
    ['/', search],
    ['shift+/', search],
    ['?', help],
    ['shift+?', help],
  ])
}

const outsideDialogs = (act: () => unknown) => () => {
  if (!document.querySelector('[role=dialog]')) act()
}

/** Focuses the search field of the page, which has `data-search`. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-search]')
  field?.focus()
  return field !== null
}
