import { Alert } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { SyntheticEvent } from 'react'
import { fieldErrors, readable } from '../api/error.ts'

interface ApiFormOptions<Values, Result> {
  initial: Values
  /** `changes` holds the members of `values` that differ from `initial`. */
  save(values: Values, changes: Partial<Values>): Promise<Result>
  saved?(result: Result, form: { reset(): void }): unknown
  /** The field that shows the message for a path of the request body, where the two have different names. */
  fieldOf?(path: string): string
}

/**
 * A form that sends its values to the daemon. When the daemon rejects them, its messages appear at the fields they
 * name, and `problem` is set if a message belongs to none of the fields.
 */
export function useApiForm<Values extends Record<string, unknown>, Result>({
  initial,
  save,
  saved,
  fieldOf = (path) => path,
}: ApiFormOptions<Values, Result>) {
  const form = useForm<Values>({ initialValues: initial })
  const sending = useMutation({
    mutationFn: (values: Values) => save(values, changesOf(values, form.isDirty)),
    meta: { shown: true },
    onSuccess: (result) => saved?.(result, form),
    onError: (error) => form.setErrors(byField(error, fieldOf)),
  })
  const submit: (event?: SyntheticEvent<HTMLFormElement>) => void = form.onSubmit((values) =>
    sending.mutate(values),
  )
  const fields = Object.keys(byField(sending.error, fieldOf))
  const placed = fields.length > 0 && fields.every((path) => (path.split('.')[0] ?? '') in initial)
  return {
    ...form,
    // `Stack component="form"` has the events of its default element.
    submit: submit as (event?: SyntheticEvent) => void,
    sending: sending.isPending,
    error: sending.error,
    problem: sending.error && !placed ? readable(sending.error) : null,
  }
}

const byField = (error: unknown, fieldOf: (path: string) => string) =>
  Object.fromEntries(Object.entries(fieldErrors(error)).map(([path, message]) => [fieldOf(path), message]))

function changesOf<Values extends Record<string, unknown>>(
  values: Values,
  isDirty: (path: string) => boolean,
) {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isDirty(name))) as Partial<Values>
}

/** Why the form was not saved, where no field shows it. */
export function FormProblem({ form: { problem } }: { form: { problem: string | null } }) {
  if (problem === null) return null
  return (
    <Alert color="red" variant="light" role="alert" title="Not saved" w="100%">
      {problem}
    </Alert>
  )
}
