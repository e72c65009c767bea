import { Switch, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { FormModal } from './form-modal.tsx'
import { Muted } from './typography.tsx'
import { UserChoice } from './user-choice.tsx'

const everyone = 'everyone'

interface ShareDialogProps {
  title: string
  /** What the chosen people can do. */
  text: string
  shared_with: string[]
  share: (shared_with: string[]) => void
  close: () => void
  /** Other ways to share it. */
  children?: ReactNode
}

/** Chooses with whom a thing of one's own is shared. */
export function ShareDialog({ title, text, shared_with, share, close, children }: ShareDialogProps) {
  const [chosen, setChosen] = useState(shared_with)
  const withAll = chosen.includes(everyone)
  return (
    <FormModal
      title={title}
      verb="Save"
      submit={() => {
        share(chosen)
        close()
      }}
      close={close}
    >
      <Text size="sm">{text}</Text>
      <Switch
        label="Everyone on this server"
        checked={withAll}
        onChange={(event) => setChosen(event.currentTarget.checked ? [everyone] : [])}
      />
      {!withAll && (
        <UserChoice
          label="Users"
          description="Only these people"
          otherwise={<Muted>An administrator can share it with single users.</Muted>}
          value={chosen}
          onChange={setChosen}
        />
      )}
      {children}
    </FormModal>
  )
}
