import { Alert, Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconAlertTriangle, IconMessage2 } from '@tabler/icons-react'
import { useState } from 'react'
import type { BrowserStatus } from '../../../runtime/browser/schema.ts'
import { ApiError, readable } from '../../api/error.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { Muted } from '../../parts/typography.tsx'
import { useBrowser } from './context.tsx'

/** A page waits until its dialog is answered. */
export function DialogAlert() {
  const { live, tab } = useBrowser()
  const open = live.state?.dialogs ?? []
  const dialog = open.find(({ tab_id }) => tab_id === tab?.id) ?? open[0]
  if (!dialog) return null
  return <Dialog key={`${dialog.tab_id} ${dialog.type} ${dialog.message}`} dialog={dialog} />
}

const titles: Record<string, string> = {
  alert: 'The page shows a message',
  confirm: 'The page asks for confirmation',
  prompt: 'The page asks for text',
  beforeunload: 'The page asks whether you want to leave',
}

function Dialog({ dialog }: { dialog: BrowserStatus['dialogs'][number] }) {
  const { act, acting, tab } = useBrowser()
  const [text, setText] = useState(dialog.default_value)
  const { tab_id, type } = dialog
  const isPrompt = type === 'prompt'
  const answer = (accept: boolean) =>
    act({ action: 'handle_dialog', accept, ...(accept && isPrompt && { prompt_text: text }), tab_id })
  return (
    <Alert
      role="alert"
      icon={<IconMessage2 size={18} />}
      title={`${titles[type] ?? 'The page shows a dialog'}${tab_id === tab?.id ? '' : ' in another tab'}`}
    >
      <Stack gap="xs">
        <Text size="sm" className="verbatim">
          {dialog.message}
        </Text>
        {isPrompt && (
          <TextInput
            aria-label="Answer"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={({ key }) => key === 'Enter' && answer(true)}
          />
        )}
        <Group gap="xs">
          <Button size="xs" loading={acting !== null} onClick={() => answer(true)}>
            Accept
          </Button>
          {type !== 'alert' && (
            <SmallButton disabled={acting !== null} onClick={() => answer(false)}>
              Dismiss
            </SmallButton>
          )}
        </Group>
      </Stack>
    </Alert>
  )
}

/** Why the last action or input failed, and what to do. */
export function FailureAlert() {
  const { failure, dismissFailure, live } = useBrowser()
  const { rejection, stream } = live
  if (failure) {
    const { code, hint } = failure instanceof ApiError ? failure : { code: undefined, hint: null }
    return <Failure code={code} message={readable(failure)} hint={hint} close={dismissFailure} />
  }
  if (!rejection || rejection.code === 'dialog_open') return null
  return <Failure {...rejection} hint={null} close={() => stream.dismissRejection()} />
}

interface FailureProps {
  code: string | undefined
  message: string
  hint: string | null
  close: () => void
}

function Failure({ code, message, hint, close }: FailureProps) {
  const title = (
    <Group gap="xs">
      Action failed
      {code && (
        <Badge variant="default" ff="monospace">
          {code}
        </Badge>
      )}
    </Group>
  )
  return (
    <Alert
      role="alert"
      color="red"
      w="100%"
      ta="left"
      icon={<IconAlertTriangle size={18} />}
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={close}
      title={title}
    >
      <Text size="sm" className="verbatim">
        {message}
      </Text>
      {hint && (
        <Muted mt={2} className="verbatim">
          {hint}
        </Muted>
      )}
    </Alert>
  )
}
