import { Button, Group, type GroupProps, TextInput, type TextInputProps } from '@mantine/core'
import type { ComponentType } from 'react'
import type { Api } from '../../api/client.ts'
import { useApi } from '../../app/services.tsx'
import { FormProblem, useApiForm } from '../../parts/form.tsx'

/** The fields and buttons at the top of a panel. */
export const Tools = (props: GroupProps) => <Group gap="0.5rem" px="sm" py="0.6rem" {...props} />

interface NameFormProps extends TextInputProps {
  /** Names the form. */
  title: string
  initial?: string | undefined
  verb: string
  icon: ComponentType<{ size: number }>
  save: (api: Api, name: string) => Promise<unknown>
  /** Addresses that are fetched again. */
  stale: readonly string[]
  saved?: (() => void) | undefined
}

/** One field for a name, and a button. */
export function NameForm({ title, verb, icon: Icon, initial, save, stale, saved, ...field }: NameFormProps) {
  const api = useApi()
  const form = useApiForm({
    initial: { name: initial ?? '' },
    save: ({ name }) => save(api, name.trim()),
    stale,
    saved(_, { reset }) {
      reset()
      saved?.()
    },
  })
  return (
    <form aria-label={title} onSubmit={form.submit}>
      <Tools>
        <TextInput className="grow" size="xs" required maxLength={200} {...form.getInputProps('name')} {...field} />
        <Button
          type="submit"
          size="xs"
          leftSection={<Icon size={15} />}
          disabled={!form.values.name.trim()}
          loading={form.sending}
        >
          {verb}
        </Button>
        <FormProblem form={form} />
      </Tools>
    </form>
  )
}
