import {
  NumberInput,
  type NumberInputProps,
  PasswordInput,
  type PasswordInputProps,
  Select,
  type SelectProps,
  Switch,
  type SwitchProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core'

interface Form {
  getInputProps(path: string, options?: { type: 'checkbox' }): object
}

/**
 * The inputs of a form by the path of their value: `number('retry.max_attempts', 'Attempts', { min: 1 })`.
 */
export function inputsOf(form: Form, common: { size?: 'xs' } = {}) {
  const own = (path: string, label: string) => ({ label, ...common, ...form.getInputProps(path) })
  return {
    text: (path: string, label: string, props?: TextInputProps) => (
      <TextInput {...own(path, label)} {...props} />
    ),
    password: (path: string, label: string, props?: PasswordInputProps) => (
      <PasswordInput autoComplete="off" {...own(path, label)} {...props} />
    ),
    /** A whole number unless `allowDecimal` is set. */
    number: (path: string, label: string, props?: NumberInputProps) => (
      <NumberInput allowDecimal={false} {...own(path, label)} {...props} />
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
