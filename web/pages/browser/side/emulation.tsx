import { Button, Group, NumberInput, Select, Stack, Switch } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Emulation, emulationQuery } from '../../../api/browser.ts'
import { fieldErrors } from '../../../api/error.ts'
import { useApi } from '../../../app/services.tsx'
import { announce, announceError } from '../../../parts/announce.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'

/** What device pages see: one by name, or a size of one's own. */
export function EmulationForm() {
  const query = useQuery(emulationQuery(useApi()))
  return (
    <Panel title="Device">
      <Loaded query={query} what="The devices">
        {({ emulation, presets }) => (
          <Form key={JSON.stringify(emulation)} emulation={emulation} presets={presets} />
        )}
      </Loaded>
    </Panel>
  )
}

const own = 'A size of your own'
const none = 'As it is'

function Form({ emulation, presets }: { emulation: Emulation; presets: string[] }) {
  const save = useSave()
  const { viewport, is_mobile = false, preset } = emulation
  const [kind, setKind] = useState(preset ?? (viewport ? own : none))
  const [width, setWidth] = useState(viewport?.width ?? 1280)
  const [height, setHeight] = useState(viewport?.height ?? 720)
  const [mobile, setMobile] = useState(is_mobile)
  const errors = fieldErrors(save.error)
  const choose = (next: string) => {
    setKind(next)
    if (next !== own) save.mutate(next === none ? {} : { preset: next })
  }
  return (
    <Stack px="md" pb="md" gap="sm">
      <Select
        label="Pages see"
        data={[none, own, ...presets]}
        value={kind}
        allowDeselect={false}
        searchable
        limit={60}
        error={errors.preset}
        onChange={(next) => next && choose(next)}
      />
      {kind === own && (
        <form
          aria-label="Size"
          onSubmit={(event) => {
            event.preventDefault()
            save.mutate({ viewport: { width, height }, is_mobile: mobile })
          }}
        >
          <Stack gap="sm">
            <Group grow gap="sm">
              <NumberInput
                label="Width"
                suffix=" px"
                value={width}
                error={errors['viewport.width']}
                onChange={(next) => setWidth(Number(next))}
              />
              <NumberInput
                label="Height"
                suffix=" px"
                value={height}
                error={errors['viewport.height']}
                onChange={(next) => setHeight(Number(next))}
              />
            </Group>
            <Switch
              label="As a phone does"
              checked={mobile}
              onChange={(event) => setMobile(event.currentTarget.checked)}
            />
            <Group>
              <Button type="submit" size="xs" loading={save.isPending}>
                Use this size
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Stack>
  )
}

function useSave() {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (emulation: Emulation) => api.post<Emulation>('/api/browser/emulation', emulation),
    meta: { shown: true },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: emulationQuery(api).queryKey })
      announce('Saved')
    },
    onError(error) {
      if (Object.keys(fieldErrors(error)).length === 0) announceError(error)
    },
  })
}
