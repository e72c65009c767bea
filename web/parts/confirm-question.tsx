import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ConfirmByNameProps } from './confirm-by-name.tsx'
import { FormModal } from './form-modal.tsx'
import { useRun } from './use-change.ts'

interface QuestionProps extends Omit<ConfirmByNameProps, 'children'> {
  close: () => void
}

/** The dialog of `ConfirmByName`. */
export function Question({ name, what, verb = 'Delete', effect, run, done, close }: QuestionProps) {
  const { mutate, isPending } = useRun(run, done)
  const [typed, setTyped] = useState('')
  return (
    <FormModal
      title={`${verb} this ${what}?`}
      verb={verb}
      danger
      submit={() => mutate(undefined, { onSettled: close })}
      close={close}
      isPending={isPending}
      disabled={typed.trim() !== name}
    >
      {effect && <Text size="sm">{effect}</Text>}
      <TextInput
        data-autofocus
        label={`Type “${name}” to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
      />
    </FormModal>
  )
}
