import type { ReactNode } from 'react'
import { inputsOf, required, tenCharacters, type useApiForm, username } from './form.tsx'
import { FrontForm } from './front-page.tsx'

type Account = Record<'display_name' | 'username' | 'password', string>

interface AccountFormProps<Answer> {
  form: ReturnType<typeof useApiForm<Account, Answer>>
  /** Above the fields. */
  children?: ReactNode
}

/** The fields of a new account of one's own. */
export function AccountForm<Answer>({ form, children }: AccountFormProps<Answer>) {
  const { text, password } = inputsOf(form)
  return (
    <FrontForm form={form} verb="Create the account">
      {children}
      {text('display_name', 'Your name', { autoComplete: 'name', autoFocus: true })}
      {text('username', 'Username', { ...required, ...username })}
      {password('password', 'Password', {
        ...required,
        description: tenCharacters,
        autoComplete: 'new-password',
        minLength: 10,
      })}
    </FrontForm>
  )
}
