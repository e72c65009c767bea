import { Grid, Stack } from '@mantine/core'
import { Budgets } from './budgets.tsx'
import { Switch } from './switch.tsx'
import { Today } from './today.tsx'
import { Used } from './used.tsx'

/** What the models cost, and what holds that back. */
export function Spending() {
  return (
    <Stack gap="lg">
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, sm: 6 }}>
          <Today />
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 6 }}>
          <Switch />
        </Grid.Col>
      </Grid>
      <Used />
      <Budgets />
    </Stack>
  )
}
