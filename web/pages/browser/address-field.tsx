import { ActionIcon, TextInput } from '@mantine/core'
import { IconArrowRight, IconLock, IconWorld } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'

interface AddressFieldProps {
  url: string
  open: (url: string) => void
  busy: boolean
  large?: boolean
}

/** Shows the address of the page until something is typed. Escape restores it. */
export function AddressField({ url, open, busy, large = false }: AddressFieldProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? (url === 'about:blank' ? '' : url)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const address = text.trim()
    if (!address) return
    open(address)
    setTyped(null)
  }
  return (
    <form aria-label="Address" className="grow" onSubmit={submit}>
      <TextInput
        aria-label="Address"
        placeholder="https://…"
        size={large ? 'md' : 'sm'}
        value={text}
        data-search
        inputMode="url"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        leftSection={url.startsWith('https:') ? <IconLock size={15} /> : <IconWorld size={15} />}
        rightSection={
          <ActionIcon type="submit" variant="subtle" color="gray" aria-label="Open" loading={busy}>
            <IconArrowRight size={17} />
          </ActionIcon>
        }
        onChange={(event) => setTyped(event.currentTarget.value)}
        onFocus={(event) => event.currentTarget.select()}
        onKeyDown={({ key }) => key === 'Escape' && setTyped(null)}
      />
    </form>
  )
}
