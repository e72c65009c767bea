import { Button, Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import { JsonField } from '../../parts/schema/fields.tsx'
import type { Schema } from '../../parts/schema/schema.ts'
import { ParameterForm } from './expression-preview.tsx'
import type { DraftState } from './use-draft.ts'
import type { RunActions } from './use-run.ts'

interface RunDialogProps {
  state: DraftState
  run: RunActions['run']
  close: () => void
}

/** Asks for the input of a run: a form if the workflow says what it takes, otherwise JSON. */
export function RunDialog({ state, run, close }: RunDialogProps) {
  const [input, setInput] = useState<unknown>({})
  const schema = state.draft.input_schema as Schema | null
  const submit = () => run.mutate({ input }, { onSuccess: close })
  return (
    <Modal opened onClose={close} title="Run with input">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack>
          {schema?.properties ? (
            <ParameterForm schema={schema} value={input} change={setInput} errors={{}} />
          ) : (
            <JsonField label="Input" value={input} change={(value) => setInput(value ?? null)} />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={run.isPending}>
              Run
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
