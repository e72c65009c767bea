import { useState } from 'react'
import { FormModal } from '../../parts/form-modal.tsx'
import { JsonField } from '../../parts/schema/fields.tsx'
import type { Schema } from '../../parts/schema/schema.ts'
import { ParameterForm } from './parameter-form.tsx'
import type { DraftState } from './use-draft.ts'
import type { RunActions } from './use-run.ts'

interface RunDialogProps {
  state: DraftState
  run: RunActions['run']
  close: () => void
}

/** Asks for the input of a run: a form if the workflow has an input schema, otherwise JSON. */
export function RunDialog({ state, run, close }: RunDialogProps) {
  const [input, setInput] = useState<unknown>({})
  const schema = state.draft.input_schema as Schema | null
  return (
    <FormModal
      title="Run with input"
      verb="Run"
      submit={() => run.mutate({ input }, { onSuccess: close })}
      close={close}
      isPending={run.isPending}
    >
      {schema?.properties ? (
        <ParameterForm schema={schema} value={input} change={setInput} errors={{}} />
      ) : (
        <JsonField label="Input" value={input} change={(value) => setInput(value ?? null)} />
      )}
    </FormModal>
  )
}
