import { useEffect, useEffectEvent } from 'react'
import { areas } from './areas.ts'

interface Actions {
  openPalette: () => void
  openKeys: () => void
  navigate: (path: string) => void
}

/** Milliseconds in which the second key of `g h` must follow. */
const sequence = 1_200

/** What `?` lists. */
export const shortcuts: readonly { keys: readonly string[]; does: string }[] = [
  { keys: ['Ctrl/⌘', 'K'], does: 'Find a page, a conversation, an agent or an action' },
  { keys: ['/'], does: 'Search on this page' },
  { keys: ['?'], does: 'Show these keys' },
  { keys: ['N'], does: 'New chat' },
  ...areas.map((area) => ({ keys: ['G', area.key.toUpperCase()], does: `Go to ${area.label}` })),
  { keys: ['Enter'], does: 'Send a message' },
  { keys: ['Shift', 'Enter'], does: 'New line in a message' },
  { keys: ['Esc'], does: 'Close what is open' },
]

/** The keys that work on every page. Typing in a field is left alone. */
export function useShortcuts(actions: Actions): void {
  const pressed = useEffectEvent((event: KeyboardEvent, afterG: boolean) => act(event, afterG, actions))
  useEffect(() => {
    let lastG = 0
    const listen = (event: KeyboardEvent) => {
      const afterG = event.timeStamp - lastG < sequence
      lastG = event.key === 'g' && !isTyping(event) && !hasModifier(event) ? event.timeStamp : 0
      pressed(event, afterG)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

function act(event: KeyboardEvent, afterG: boolean, actions: Actions): void {
  const run = actionOf(event, afterG, actions)
  if (!run) return
  event.preventDefault()
  run()
}

function actionOf(event: KeyboardEvent, afterG: boolean, actions: Actions): (() => void) | undefined {
  const { openPalette, openKeys, navigate } = actions
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') return openPalette
  if (isTyping(event) || hasModifier(event) || document.querySelector('[role=dialog]')) return undefined
  const area = afterG ? areas.find((candidate) => candidate.key === event.key) : undefined
  if (area) return () => navigate(area.path)
  if (event.key === '?') return openKeys
  if (event.key === '/') return () => focusSearch() || openPalette()
  if (event.key === 'n') return () => navigate('/chat')
  return undefined
}

/** A page names its search field with `data-search`. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-search]')
  field?.focus()
  return field !== null
}

const hasModifier = (event: KeyboardEvent) => event.ctrlKey || event.metaKey || event.altKey

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}
