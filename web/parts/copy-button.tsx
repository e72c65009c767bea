import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy, IconX } from '@tabler/icons-react'
import { useEffect, useState } from 'react'

interface CopyButtonProps {
  value: string
  /** Names what is copied, such as "API key". */
  what: string
  /** Shows a labelled button instead of an icon, where copying is the main action. */
  large?: boolean
}

const icons = { ready: IconCopy, copied: IconCheck, failed: IconX }

export function CopyButton({ value, what, large }: CopyButtonProps) {
  const [state, setState] = useState<keyof typeof icons>('ready')
  useEffect(() => {
    if (state === 'ready') return undefined
    const timer = setTimeout(() => setState('ready'), 1_500)
    return () => clearTimeout(timer)
  }, [state])
  const copy = async () => setState((await copyText(value)) ? 'copied' : 'failed')
  const Icon = icons[state]
  const result = { ready: null, copied: 'Copied', failed: 'Could not copy' }[state]
  if (large)
    return (
      <Button variant="default" leftSection={<Icon size={16} />} onClick={copy}>
        {result ?? 'Copy'}
      </Button>
    )
  return (
    <Tooltip label={result ?? `Copy ${what}`}>
      <ActionIcon variant="subtle" color="gray" aria-label={`Copy ${what}`} onClick={copy}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  )
}

/** Copies text to the clipboard. Returns whether that was possible. */
async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text)
      return true
    }
  } catch {
    // The browser refused it; try the older interface.
  }
  return copyByEvent(text)
}

/** Over plain HTTP, such as from another device in the house, browsers offer only this. */
function copyByEvent(text: string): boolean {
  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener('copy', onCopy, { capture: true, once: true })
  try {
    return document.execCommand('copy')
  } finally {
    document.removeEventListener('copy', onCopy, { capture: true })
  }
}
