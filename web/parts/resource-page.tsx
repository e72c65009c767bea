import { Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { useOptional } from '../api/query.ts'
import { AddButton, LinkButton, SmallButton } from './buttons.tsx'
import { lazily } from './lazily.ts'
import { Found } from './list.tsx'
import type { FormOptions } from './resource-form.tsx'
import { type ItemOf, type Items, type ListPath, ResourceList, type ResourceListProps } from './resource-list.tsx'
import { SecretOnce } from './secret-once.tsx'
import { capitalized } from './text.ts'
import { TextLink } from './typography.tsx'

const ResourceDrawer = lazily(() => import('./resource-form.tsx'), 'ResourceDrawer')

interface ResourcePageProps<Path extends ListPath, Name extends Items<Path>>
  extends Omit<ResourceListProps<Path, Name>, 'frame'> {
  noun: string
  /** The page of one, at `<place>/<id>`. Without it a row has a button to edit it. */
  detail?: (item: ItemOf<Path, Name>, edit: () => void) => ReactNode
  /** The address of the list in the UI, and the id of the one that is shown. */
  place?: string
  id?: string | undefined
  form?: FormOptions<ItemOf<Path, Name>>
  /** False: nobody may add or change one here. */
  canChange?: boolean | ((item: ItemOf<Path, Name>) => boolean)
  /** Receives a new one, instead of its page. */
  made?: (answer: object) => unknown
  /** What the secret in the answer to a new one is for; it is shown once. */
  secretHint?: string
  /** Label of the button that adds one. Default: `New <noun>`. */
  add?: string
  /** Whether the form for a new one is open at first. */
  adding?: boolean
}

/** The page of a collection: its list, the form for a new one and for changes, and the page of each. */
export function ResourcePage<Path extends ListPath, Name extends Items<Path>>(props: ResourcePageProps<Path, Name>) {
  type Item = ItemOf<Path, Name> & { id: string }
  const { path, noun, place = '', id, detail, form, secretHint, row, actions, canChange = true } = props
  const [, navigate] = useLocation()
  const [edited, setEdited] = useState<Item | 'new' | null>(props.adding ? 'new' : null)
  const [secret, setSecret] = useState<string | null>(null)
  const isNew = edited === 'new'
  const isOpen = (item: Item) => (typeof canChange === 'function' ? canChange(item) : canChange)
  return (
    <Stack>
      {secret && <SecretOnce secret={secret} what={`${noun} secret`} {...(secretHint && { hint: secretHint })} />}
      {detail && id ? (
        <One {...props} id={id} show={(item) => detail(item, () => setEdited(item as Item))} />
      ) : (
        <ResourceList
          {...props}
          actions={
            <>
              {actions}
              {canChange && <AddButton onClick={() => setEdited('new')}>{props.add ?? `New ${noun}`}</AddButton>}
            </>
          }
          row={(one) => {
            const item = one as Item
            const shown = row(item)
            return {
              ...shown,
              actions: (
                <>
                  {shown.actions}
                  {detail && <LinkButton href={`${place}/${item.id}`}>Open</LinkButton>}
                  {!detail && isOpen(item) && <SmallButton onClick={() => setEdited(item)}>Edit</SmallButton>}
                </>
              ),
            }
          }}
        />
      )}
      {edited !== null && (
        <ResourceDrawer
          {...(form as object)}
          path={path}
          noun={noun}
          item={isNew ? null : edited}
          close={() => setEdited(null)}
          removed={() => place && id && navigate(place)}
          saved={(answer) => {
            const { id: made, secret: issued } = answer as { id: string; secret?: unknown }
            if (isNew && props.made) props.made(answer)
            else if (isNew && secretHint) setSecret(String(issued))
            else if (isNew && detail) navigate(`${place}/${made}`)
          }}
        />
      )}
    </Stack>
  )
}

interface OneProps<Path extends ListPath, Name extends Items<Path>> extends ResourcePageProps<Path, Name> {
  id: string
  show: (item: ItemOf<Path, Name>) => ReactNode
}

function One<Path extends ListPath, Name extends Items<Path>>(props: OneProps<Path, Name>) {
  const { path, id, place = '', title, noun, icon: Icon, show } = props
  const query = useOptional(`${path}/{id}` as '/api/hooks/{id}', { params: { id } })
  return (
    <>
      <TextLink href={place}>← {capitalized(title)}</TextLink>
      <Found query={query} what={`This ${noun}`} icon={Icon && <Icon />}>
        {(item) => show(item as unknown as ItemOf<Path, Name>)}
      </Found>
    </>
  )
}
