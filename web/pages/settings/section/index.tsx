import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/query.ts'
import type { MemberSchema, SectionName } from '../../../api/settings.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { Fields } from './fields.tsx'
import { useSection } from './use-section.ts'

interface SectionFormProps {
  /** As the daemon calls it. */
  name: SectionName
  title: string
  action?: ReactNode
  children?: ReactNode
}

/** One section as a form made from its schema; each change counts at once. */
export function SectionForm({ name, title, action, children }: SectionFormProps) {
  const schema = useEndpoint('/api/settings/schema', {}, { staleTime: Number.POSITIVE_INFINITY })
  const values = useEndpoint(`/api/settings/${name}`)
  const { save, errors } = useSection(name)
  return (
    <Stack gap="lg" maw={640}>
      <Panel title={title} action={action}>
        <Loaded query={schema} what="The form">
          {(schemas) => (
            <Loaded query={values} what={title}>
              {(current) => (
                <Stack p="md" pt={4}>
                  <Fields
                    properties={(schemas[name] as MemberSchema | undefined)?.properties ?? {}}
                    values={current}
                    form={{ save, errors }}
                    path={[]}
                  />
                </Stack>
              )}
            </Loaded>
          )}
        </Loaded>
      </Panel>
      {children}
    </Stack>
  )
}
