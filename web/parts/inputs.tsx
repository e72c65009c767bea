import {
  NativeSelect,
  type NativeSelectProps,
  type NumberInputProps,
  PasswordInput,
  type PasswordInputProps,
  type SelectProps,
  Skeleton,
  type SwitchProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import { lazily } from './lazily.ts'

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
    area: (
      path: string,
      label: string,
      [minRows, maxRows]: [number, number?],
      props?: TextareaProps & Focused,
    ) => <Textarea autosize {...{ minRows, maxRows, ...own(path, label) }} {...props} />,
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
