import { Fieldset } from '@mantine/core'
import { changesTo } from '../../parts/form.tsx'
import { Loaded } from '../../parts/list.tsx'
import { SchemaForm } from '../../parts/schema/schema-form.tsx'
import { useBodySchemas } from '../../parts/schema/use-body-schema.ts'
import type { Draft, DraftState } from './use-draft.ts'

/** The settings are part of the draft and are saved with it. */
export function SettingsView({ state: { draft, edit, readonly } }: { state: DraftState }) {
  const { query, create = {} } = useBodySchemas('/api/workflows')
  const change = (next: Draft) => {
    const { variables = {}, input_schema = null } = next
    const part = changesTo({ ...next, variables, input_schema }, draft)
    edit((last) => ({ ...last, ...part }), `settings ${Object.keys(part).join(' ')}`)
  }
  return (
    <div className="page">
      <Fieldset variant="unstyled" disabled={readonly} maw={640}>
        <Loaded query={query} what="The form">
          {() => (
            <SchemaForm
              schema={create}
              value={{ ...draft, input_schema: draft.input_schema ?? undefined }}
              change={(next) => change(next as Draft)}
              errors={draft.name.trim() === '' ? { name: 'A workflow needs a name' } : {}}
              fields={{
                ...{ nodes: false, edges: false, pin_data: false },
                settings: (props) => (
                  <SchemaForm {...props} fields={{ max_concurrent: draft.settings.mode === 'parallel' }} />
                ),
              }}
              layout={[
                { title: 'General', fields: ['name', 'description', 'tags'] },
                { title: 'Executions', fields: ['settings'] },
                { title: 'Data', fields: ['variables', 'input_schema'] },
              ]}
            />
          )}
        </Loaded>
      </Fieldset>
    </div>
  )
}
