import {
  Alert,
  Button,
  Group,
  NativeSelect,
  type NativeSelectProps,
  type NumberInputProps,
  PasswordInput,
  type PasswordInputProps,
  type SelectProps,
  Skeleton,
  Stack,
  type StackProps,
  type SwitchProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { createContext, type ReactNode, type SyntheticEvent, useContext, useEffect } from 'react'
import { fieldErrors, readable } from '../api/error.ts'
import { useRefresh } from '../api/query.ts'
import { ConfirmByName, type ConfirmByNameProps } from './confirm-by-name.tsx'
import { lazily } from './lazily.ts'

/** Receives whether the form in a drawer has unsaved changes. */
export const UnsavedChanges = createContext<(unsaved: boolean) => void>(() => undefined)

interface ApiFormOptions<Values, Result> {
  initial: Values
  /** `changes` holds the members of `values` that differ from `initial`, which is as it was when the form was opened. */
  save(values: Values, changes: Partial<Values>, initial: Values): Promise<Result>
  /** Called when the stale queries are fresh. */
  saved?(result: Result, form: { reset(): void }): unknown
  /** Prefixes of addresses that are fetched again; see `refresh`. */
  stale?: readonly string[]
  /** The field that shows the message for a path of the request body, where the two have different names. */
  fieldOf?(path: string): string
}

/**
 * A form that sends its values to the daemon. When the daemon rejects them, its messages appear at the fields
 * they name, and `problem` is set if a message belongs to none of the fields.
 */
export function useApiForm<Values extends Record<string, unknown>, Result>({
  initial,
  save,
  saved,
  stale = [],
  fieldOf = (path) => path,
}: ApiFormOptions<Values, Result>) {
  const form = useForm<Values>({ initialValues: initial })
  const dirty = form.isDirty()
  const report = useContext(UnsavedChanges)
  useEffect(() => {
    report(dirty)
    return () => report(false)
  }, [dirty, report])
  const refresh = useRefresh()
  const sending = useMutation({
    mutationFn: (values: Values) => save(values, changesTo(values, form.getInitialValues()), form.getInitialValues()),
    meta: { shown: true },
    async onSuccess(result) {
      await refresh(...stale)
      await saved?.(result, form)
    },
    onError: (error) => form.setErrors(byField(error, fieldOf)),
  })
  const submit: (event?: SyntheticEvent<HTMLFormElement>) => void = form.onSubmit((values) => sending.mutate(values))
  const fields = Object.keys(byField(sending.error, fieldOf))
  const placed = fields.length > 0 && fields.every((path) => (path.split('.')[0] ?? '') in initial)
  return {
    ...form,
    dirty,
    // `Stack component="form"` has the events of its default element.
    submit: submit as (event?: SyntheticEvent) => void,
    sending: sending.isPending,
    error: sending.error,
    result: sending.data,
    problem: sending.error && !placed ? readable(sending.error) : null,
  }
}

/** The messages by field. At `env`, the message for `env.API KEY` begins with `API KEY`. */
const byField = (error: unknown, fieldOf: (path: string) => string) =>
  Object.fromEntries(
    Object.entries(fieldErrors(error)).map(([path, message]) => {
      const field = fieldOf(path)
      const member = path.startsWith(`${field}.`) ? path.slice(field.length + 1) : ''
      return [field, Number.isNaN(Number(member)) ? `${member}: ${message}` : message]
    }),
  )

/** The members of a body that differ from `before`: sending the others would undo what somebody else has changed. */
export const changesTo = <Body extends object>(body: Body, before: Body): Partial<Body> =>
  Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Body]),
    ),
  ) as Partial<Body>

/** Why the form was not saved, if no field shows it. */
export function FormProblem({ form: { problem } }: { form: { problem: string | null } }) {
  if (problem === null) return null
  return (
    <Alert color="red" role="alert" title="Not saved" w="100%">
      {problem}
    </Alert>
  )
}

interface EntityFormProps extends Omit<StackProps, 'form'> {
  form: { submit: (event?: SyntheticEvent) => void; sending: boolean; problem: string | null }
  /** Label of the button that sends the form. */
  verb: string
  close?: (() => void) | undefined
  closeLabel?: string
  /** No button to delete if false. */
  remove?: Omit<ConfirmByNameProps, 'children'> | false
  disabled?: boolean
  noValidate?: boolean
  /** Of the buttons. */
  size?: 'xs'
  children: ReactNode
}

/** A form with its problem above the fields, and the buttons delete, cancel and save below them. */
export function EntityForm({
  form,
  verb,
  close,
  closeLabel = 'Cancel',
  remove,
  disabled,
  size,
  children,
  ...rest
}: EntityFormProps) {
  const look = size ? { size } : {}
  return (
    <Stack component="form" onSubmit={form.submit} {...rest}>
      <FormProblem form={form} />
      {children}
      <Group justify={remove ? 'space-between' : 'flex-end'}>
        {remove && (
          <ConfirmByName {...remove}>
            {(ask) => (
              <Button {...look} variant="subtle" c="var(--mantine-color-error)" onClick={ask}>
                {remove.verb ?? 'Delete'}
              </Button>
            )}
          </ConfirmByName>
        )}
        <Group gap="xs">
          {close && (
            <Button {...look} variant="default" onClick={close}>
              {closeLabel}
            </Button>
          )}
          <Button type="submit" {...look} loading={form.sending} disabled={disabled}>
            {verb}
          </Button>
        </Group>
      </Group>
    </Stack>
  )
}

// Large, and most pages show only one of them.
const loading = <Skeleton h={56} />
const NumberInput = lazily(() => import('./inputs/number-input.tsx'), 'NumberInput', loading)
const Select = lazily(() => import('./inputs/select.tsx'), 'Select', loading)
const Switch = lazily(() => import('./inputs/switch.ts'), 'Switch', loading)

interface Form {
  getInputProps(path: string, options?: { type: 'checkbox' }): object
  setFieldValue(path: string, value: never): void
}

/** The field that a dialog focuses when it opens. */
interface Focused {
  'data-autofocus'?: boolean
}

/** Required, as nearly all fields of a short form are, so no asterisk says it. */
export const required = { required: true, withAsterisk: false } as const

export const username = { autoComplete: 'username', autoCapitalize: 'none' } as const

export const tenCharacters = 'At least 10 characters'

/** The inputs of a form by the path of their value: `number('retry.max_attempts', 'Attempts', { min: 1 })`. */
export function inputsOf(form: Form, common: { size?: 'xs' } = {}) {
  const own = (path: string, label: string) => ({ label, ...common, ...form.getInputProps(path) })
  return {
    text: (path: string, label: string, props?: TextInputProps & Focused) => (
      <TextInput {...own(path, label)} {...props} />
    ),
    /** Several lines, at first `rows[0]` of them; it grows with its text up to `rows[1]`. */
    area: (path: string, label: string, [minRows, maxRows]: [number, number?], props?: TextareaProps & Focused) => (
      <Textarea autosize {...{ minRows, maxRows, ...own(path, label) }} {...props} />
    ),
    password: (path: string, label: string, props?: PasswordInputProps) => (
      <PasswordInput autoComplete="off" {...own(path, label)} {...props} />
    ),
    /** A whole number unless `allowDecimal` is set. */
    number: (path: string, label: string, props?: NumberInputProps) => (
      <NumberInput allowDecimal={false} {...own(path, label)} {...props} />
    ),
    /** The same, but empty is null. */
    optionalNumber(path: string, label: string, props?: NumberInputProps) {
      const { value, ...input } = form.getInputProps(path) as { value: number | null }
      const change = (typed: number | string) =>
        form.setFieldValue(path, (typed === '' ? null : Number(typed)) as never)
      const shown = { label, ...common, ...input, value: value ?? '', onChange: change }
      return <NumberInput allowDecimal={false} {...shown} {...props} />
    },
    /** One of a few, by the control of the browser. */
    native: (path: string, label: string, data: NativeSelectProps['data'], props?: NativeSelectProps) => (
      <NativeSelect data={data} {...own(path, label)} {...props} />
    ),
    /** One of `data`, or none with `clearable`. */
    select: (path: string, label: string, data: SelectProps['data'], props?: SelectProps) => (
      <Select data={data} allowDeselect={false} {...own(path, label)} {...props} />
    ),
    toggle: (path: string, label: string, props?: SwitchProps) => (
      <Switch label={label} {...common} {...form.getInputProps(path, { type: 'checkbox' })} {...props} />
    ),
  }
}
