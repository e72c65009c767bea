import { Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { fieldErrors } from '../../api/error.ts'
import { useEndpoint } from '../../api/query.ts'
import type { SectionChange, SectionName } from '../../api/settings.ts'
import { useApi } from '../../app/services.tsx'
import { announce, announceError } from '../../parts/announce.ts'
import { Loaded } from '../../parts/list.tsx'
import { Panel } from '../../parts/page.tsx'
import { changesOf, merged, type Schema, type Values } from '../../parts/schema/schema.ts'
import { SchemaForm } from '../../parts/schema/schema-form.tsx'

interface SectionFormProps {
  name: SectionName
  title: string
  action?: ReactNode
  children?: ReactNode
}

/** The form of a section, generated from its schema. Each change is saved immediately. */
export function SectionForm({ name, title, action, children }: SectionFormProps) {
  const schemas = useEndpoint('/api/settings/schema', {}, { staleTime: Number.POSITIVE_INFINITY })
  const values = useEndpoint(`/api/settings/${name}`)
  return (
    <Stack gap="lg" maw={640}>
      <Panel title={title} action={action}>
        <Loaded query={schemas} what="The form">
          {(all) => (
            <Loaded query={values} what={title}>
              {(current) => <Section name={name} schema={all[name] as Schema} current={current} />}
            </Loaded>
          )}
        </Loaded>
      </Panel>
      {children}
    </Stack>
  )
}

interface SectionProps {
  name: SectionName
  schema: Schema
  current: Values
}

function Section({ name, schema, current }: SectionProps) {
  const api = useApi()
  const queries = useQueryClient()
  /** What was changed and not saved yet. */
  const [edits, setEdits] = useState<Values>({})
  /** What was sent last: a rejected value is not sent again until it changes. */
  const sent = useRef<Values>({})
  const change = useMutation({
    mutationFn: (body: Values) => api.put(`/api/settings/${name}`, { body: body as SectionChange }),
    meta: { shown: true },
    onSuccess(saved, body) {
      queries.setQueryData([`/api/settings/${name}`, {}], saved)
      setEdits((now) => changesOf(schema, merged(current, body), merged(current, now)))
      sent.current = {}
      announce('Saved')
    },
    onError(error) {
      if (Object.keys(fieldErrors(error)).length === 0) announceError(error)
    },
  })
  const draft = merged(current, edits)
  const save = (next: Values) => {
    const body = JSON.parse(JSON.stringify(changesOf(schema, merged(current, sent.current), next)))
    if (Object.keys(body).length === 0) return
    sent.current = body
    change.mutate(body)
  }
  const leave = () => {
    save(draft)
    // A number that was emptied returns.
    setEdits(JSON.parse(JSON.stringify(edits)))
  }
  const enter = ({ key, target }: KeyboardEvent) => {
    if (key === 'Enter' && !(target instanceof HTMLTextAreaElement)) leave()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the events of the inputs in it
    <div style={{ padding: 'var(--mantine-spacing-md)', paddingTop: 4 }} onBlur={leave} onKeyDown={enter}>
      <SchemaForm
        schema={schema}
        value={draft}
        errors={fieldErrors(change.error)}
        change={(next, settled) => {
          const changes = changesOf(schema, current, next as Values)
          setEdits(changes)
          if (settled) save(merged(current, changes))
        }}
      />
    </div>
  )
}
