import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refresh } from '../../api/live.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { SectionForm } from './section/index.tsx'

export function Security() {
  const api = useApi()
  const queries = useQueryClient()
  const [asked, setAsked] = useState(false)
  const reset = useMutation({
    mutationFn: () => api.post('/api/settings/security/reset'),
    onSuccess: () => announce('The security settings have their defaults again'),
    onSettled() {
      setAsked(false)
      return refresh(queries, '/api/settings')
    },
  })
  const button = (
    <Button size="xs" variant="default" onClick={() => setAsked(true)}>
      Reset
    </Button>
  )
  return (
    <>
      <SectionForm name="security" title="Bounds of agents and logins" action={button} />
      <ConfirmByName
        name={asked ? 'security' : null}
        what="section"
        verb="Reset"
        pending={reset.isPending}
        confirm={() => reset.mutate()}
        close={() => setAsked(false)}
      >
        Lists of folders, commands and patterns are emptied.
      </ConfirmByName>
    </>
  )
}
