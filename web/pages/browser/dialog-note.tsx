import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconMessage2 } from '@tabler/icons-react'
import { useState } from 'react'
import type { BrowserStatus } from '../../api/browser.ts'
import { useDesk } from './desk.tsx'

/** A page with an open dialog stands still until somebody answers. */
export function DialogNote() {
  const { live, tab } = useDesk()
  const open = live.state?.dialogs ?? []
  const dialog = open.find(({ tab_id }) => tab_id === tab?.id) ?? open[0]
  if (!dialog) return null
  return <Dialog key={`${dialog.tab_id} ${dialog.type} ${dialog.message}`} dialog={dialog} />
}

function Dialog({ dialog }: { dialog: BrowserStatus['dialogs'][number] }) {
  const { act, acting, tab } = useDesk()
  const [text, setText] = useState(dialog.default_value)
  const { tab_id } = dialog
  const asks = dialog.type === 'prompt'
  const answer = (accept: boolean) =>
    act({ action: 'handle_dialog', accept, ...(accept && asks && { prompt_text: text }), tab_id })
  return (
    <Alert
      role="alert"
      variant="light"
      icon={<IconMessage2 size={18} />}
      title={`${titles[dialog.type] ?? 'The page asks'}${tab_id === tab?.id ? '' : ', in another tab'}`}
    >
      <Stack gap="xs">
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {dialog.message}
        </Text>
        {asks && (
          <TextInput
            aria-label="Answer"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') answer(true)
            }}
          />
        )}
        <Group gap="xs">
          <Button size="xs" loading={acting !== null} onClick={() => answer(true)}>
            Accept
          </Button>
          {dialog.type !== 'alert' && (
            <Button size="xs" variant="default" disabled={acting !== null} onClick={() => answer(false)}>
              Dismiss
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  )
}

const titles: Record<string, string> = {
  alert: 'The page says',
  confirm: 'The page asks for a yes or no',
  prompt: 'The page asks for words',
  beforeunload: 'The page asks whether to leave it',
}
