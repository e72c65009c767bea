import {
  ActionIcon,
  Badge,
  Box,
  Center,
  Flex,
  Group,
  Switch,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core'
import {
  IconArrowLeft,
  IconArrowRight,
  IconCamera,
  IconDots,
  IconFileTypePdf,
  IconPhoto,
  IconPlus,
  IconReload,
  IconX,
} from '@tabler/icons-react'
import { type CSSProperties, type RefObject, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { LiveState } from '../../../runtime/browser/live-view.ts'
import type { Tab } from '../../../runtime/tabs/schema.ts'
import { ActionMenu } from '../../parts/action-menu.tsx'
import { IconButton } from '../../parts/buttons.tsx'
import { counted } from '../../parts/numbers.ts'
import { saveFile } from '../../parts/save-file.ts'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { AddressField } from './address-field.tsx'
import { DialogAlert, FailureAlert } from './alerts.tsx'
import classes from './browser.module.css'
import { useBrowser } from './context.tsx'
import { useControl } from './control.ts'
import type { LiveStream } from './live-stream.ts'

const navigation = [
  { action: 'go_back', label: 'Back', icon: IconArrowLeft },
  { action: 'go_forward', label: 'Forward', icon: IconArrowRight },
  { action: 'reload', label: 'Reload', icon: IconReload },
] as const

/** Tabs, address bar and the image of the page. */
export function LiveView() {
  const { live, act, acting } = useBrowser()
  const [inControl, setInControl] = useState(false)
  const { state, stream } = live
  const control = (on: boolean) => {
    setInControl(on)
    stream.takeControl(on)
  }
  useEffect(() => () => stream.takeControl(false), [stream])
  return (
    <Flex component="section" direction="column" gap="sm" miw={0} aria-label="Live view">
      <div className="card" style={{ overflow: 'hidden' }}>
        <TabStrip />
        <Group gap="0.35rem" p="0.5rem" wrap="nowrap" style={{ borderBottom: '1px solid var(--line)' }}>
          <Group gap={2} wrap="nowrap">
            {navigation.map(({ action, ...button }) => (
              <IconButton
                key={action}
                size="lg"
                loading={acting?.action === action}
                onClick={() => act({ action })}
                {...button}
              />
            ))}
          </Group>
          <AddressField
            url={state?.url ?? ''}
            open={(url) => act({ action: 'goto', url })}
            busy={acting?.action === 'goto'}
          />
          <SaveMenu />
        </Group>
        <div className="sunken">
          <Screen stream={stream} state={state} inControl={inControl} release={() => control(false)} />
        </div>
        <StatusBar inControl={inControl} control={control} />
      </div>
      <DialogAlert />
      <FailureAlert />
    </Flex>
  )
}

const nameOf = ({ title, url }: Tab) => title || url.replace(/^https?:\/\//, '') || 'New tab'

function TabStrip() {
  const tabs = useBrowser().live.state?.tabs ?? []
  const add = useChange((api) => api.post('/api/browser/tabs', { body: {} }))
  const close = useChange((api, tab_id: string) => api.delete('/api/browser/tabs/{tab_id}', { params: { tab_id } }))
  const activate = useChange((api, tab_id: string) =>
    api.put('/api/browser/tabs/{tab_id}/activate', { params: { tab_id } }),
  )
  return (
    <Flex
      component="nav"
      className="sunken"
      gap="0.25rem"
      align="center"
      px="0.5rem"
      pt="0.35rem"
      style={{ overflowX: 'auto' }}
      aria-label="Tabs"
    >
      {tabs.map((tab) => (
        <div key={tab.id} className={classes.tab} data-active={tab.active || undefined}>
          <UnstyledButton
            className="truncate grow"
            fz="sm"
            aria-current={tab.active ? 'page' : undefined}
            onClick={() => activate.mutate(tab.id)}
          >
            {nameOf(tab)}
            {tab.leased_by && tab.leased_by.kind !== 'person' && (
              <Text span inherit c="dimmed" ml="0.4rem">
                {tab.leased_by.name}
              </Text>
            )}
          </UnstyledButton>
          <IconButton
            label={`Close tab ${nameOf(tab)}`}
            icon={IconX}
            size="sm"
            loading={close.isPending && close.variables === tab.id}
            onClick={() => close.mutate(tab.id)}
          />
        </div>
      ))}
      <IconButton label="New tab" icon={IconPlus} loading={add.isPending} onClick={() => add.mutate()} />
    </Flex>
  )
}

/** Saves the page as a screenshot or a PDF. */
function SaveMenu() {
  const { tab } = useBrowser()
  const target = tab ? { tab_id: tab.id } : {}
  const save = useChange((api, what: 'viewport' | 'page' | 'pdf') => {
    const screenshot = { format: 'png' as const, full_page: what === 'page', ...target }
    const response =
      what === 'pdf'
        ? api.open('GET', '/api/browser/pdf', { query: target })
        : api.open('POST', '/api/browser/screenshot', { body: screenshot })
    return saveFile(`${fileName(tab?.title ?? '')}.${what === 'pdf' ? 'pdf' : 'png'}`, response)
  })
  return (
    <ActionMenu
      actions={[
        { label: 'Screenshot', icon: IconCamera, onClick: () => save.mutate('viewport') },
        { label: 'Full-page screenshot', icon: IconPhoto, onClick: () => save.mutate('page') },
        { label: 'PDF', icon: IconFileTypePdf, onClick: () => save.mutate('pdf') },
      ]}
    >
      <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Save page" loading={save.isPending}>
        <IconDots size={18} />
      </ActionIcon>
    </ActionMenu>
  )
}

const fileName = (title: string) =>
  title
    .replace(/[^\p{L}\d]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60) || 'page'

interface ScreenProps {
  stream: LiveStream
  state: LiveState | null
  inControl: boolean
  release: () => void
}

/** The latest frame. In control, a field on top of it receives mouse, touch and keys. */
function Screen({ stream, state, inControl, release }: ScreenProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const painted = useFrames(canvas, stream)
  useControl(field, { stream, state, on: inControl, release })
  const { width, height } = state ?? {}
  return (
    <div
      className={classes.screen}
      data-controlled={inControl || undefined}
      style={{ '--shape': (width ?? 1280) / (height ?? 720) } as CSSProperties}
      aria-busy={!painted}
    >
      <Box
        component="canvas"
        ref={canvas}
        display="block"
        w="100%"
        h="100%"
        role="img"
        aria-label={`Live view: ${state?.title || state?.url || 'an empty page'}`}
      />
      {!painted && (
        <Center pos="absolute" inset={0} fz="sm" c="dimmed">
          Waiting for the first frame…
        </Center>
      )}
      {inControl && (
        <textarea
          ref={field}
          className={classes.control}
          aria-label="Browser page. It receives all keyboard and mouse input. Press Shift+Escape to release control"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
      )}
      <VisuallyHidden aria-live="polite">{inControl ? 'You are in control' : ''}</VisuallyHidden>
    </div>
  )
}

/** Draws each frame. False until the first one. */
function useFrames(canvas: RefObject<HTMLCanvasElement | null>, stream: LiveStream): boolean {
  const [painted, setPainted] = useState(false)
  useEffect(() => {
    let newest = 0
    return stream.onFrame((frame) => {
      const number = ++newest
      createImageBitmap(frame).then(
        (bitmap) => {
          if (number === newest && canvas.current) draw(canvas.current, bitmap)
          bitmap.close()
          setPainted(true)
        },
        // A broken frame is followed by another one.
        () => undefined,
      )
    })
  }, [canvas, stream])
  return painted
}

function draw(canvas: HTMLCanvasElement, bitmap: ImageBitmap): void {
  canvas.width = bitmap.width
  canvas.height = bitmap.height
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
}

function StatusBar({ inControl, control }: { inControl: boolean; control: (on: boolean) => void }) {
  const { connected, state } = useBrowser().live
  return (
    <Group gap="0.5rem 1rem" px="sm" py="0.5rem" style={{ borderTop: '1px solid var(--line)' }}>
      <Switch
        label="Take control"
        checked={inControl}
        disabled={!connected}
        onChange={(event) => control(event.currentTarget.checked)}
      />
      {inControl && (
        <Badge color="ember" variant="filled">
          You are in control
        </Badge>
      )}
      {!inControl && state?.taken_by && (
        <Badge color="yellow" c="var(--mantine-color-text)">
          {state.taken_by} is in control
        </Badge>
      )}
      <Hint className="words">
        {inControl
          ? 'Agents wait while you use the page. Press Shift+Esc to release control.'
          : 'Take control to use the page with the mouse and keyboard.'}
      </Hint>
      {state && <Activity state={state} />}
      {!connected && <Badge color="gray">Not connected</Badge>}
    </Group>
  )
}

/** The activity in the browser, with links to the panels that can stop it. */
function Activity({ state }: { state: LiveState }) {
  const badges = [
    state.recording_id && { to: 'recordings', color: 'red', label: 'Recording' },
    state.screen_recording_id && { to: 'recordings', color: 'red', label: 'Recording screen' },
    state.replay_id && { to: 'recordings', color: 'blue', label: 'Replaying' },
    state.har && { to: 'network', color: 'red', label: 'HAR' },
    state.mocks > 0 && { to: 'network', color: 'gray', label: counted(state.mocks, 'mock', 'mocks') },
  ].filter((badge) => typeof badge === 'object' && badge !== null)
  if (badges.length === 0) return null
  return (
    <Group gap={6} role="status" aria-label="Activity">
      {badges.map(({ to, color, label }) => (
        <Badge
          key={label}
          component={Link}
          href={`/browser/${to}`}
          color={color}
          c="var(--mantine-color-text)"
          style={{ cursor: 'pointer' }}
        >
          {label}
        </Badge>
      ))}
    </Group>
  )
}
