import {
  type CSSVariablesResolver,
  createTheme,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
} from '@mantine/core'
import { writingButton } from './writing.tsx'

/** The one accent: the colour of embers. Shade 7 carries white text at 5.9:1. */
const ember: MantineColorsTuple = [
  '#fff3ec',
  '#ffe4d5',
  '#fcc6aa',
  '#f9a67c',
  '#f68a55',
  '#ea6d31',
  '#d6551a',
  '#b84410',
  '#96380f',
  '#762d0e',
]

const system = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Open Sans', sans-serif"
const headings = { fontFamily: system, fontWeight: '650' }

/** The list itself scrolls, and keys alone can scroll it. */
const choices = { defaultProps: { withScrollArea: false } }
const closeButtonProps = { 'aria-label': 'Close' }

export const theme = createTheme({
  colors: { ember },
  primaryColor: 'ember',
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'md',
  fontFamily: system,
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  headings,
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ActionIcon: writingButton,
    Button: writingButton,
    // In running text, color alone does not identify a link.
    Anchor: { defaultProps: { underline: 'always' } },
    // Labels are shown as written, not in capitals, and are never cut off by the text next to them.
    Badge: {
      defaultProps: { tt: 'none', fw: 550, size: 'sm', variant: 'light' },
      styles: { root: { flexShrink: 0 } },
    },
    Autocomplete: choices,
    ComboboxOptions: { defaultProps: { tabIndex: 0, mah: 260, style: { overflowY: 'auto' } } },
    ComboboxPopover: choices,
    MultiSelect: choices,
    Select: choices,
    TagsInput: choices,
    Drawer: { defaultProps: { closeButtonProps } },
    // The default grey is too faint for text that matters.
    Notification: { styles: { description: { color: 'var(--mantine-color-text)' } } },
    Modal: { defaultProps: { closeButtonProps } },
  },
})

/** Mantine's dimmed and placeholder greys are too faint to read; these reach 4.5:1 on every surface used here. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5a626b',
    '--mantine-color-placeholder': '#68717a',
    '--mantine-color-error': '#b42318',
    '--mantine-color-teal-light-color': '#05603f',
    '--mantine-color-yellow-light-color': '#7a4a00',
    '--mantine-color-red-light-color': '#a11a1a',
    '--mantine-color-ember-light': '#fdeee5',
    '--mantine-color-ember-light-hover': '#fbe2d4',
    '--mantine-color-ember-light-color': '#96380f',
    '--surface': '#ffffff',
    '--surface-sunken': '#f7f6f4',
    '--line': '#e4e2de',
  },
  dark: {
    '--mantine-color-dimmed': '#a3a9b1',
    '--mantine-color-placeholder': '#969ca4',
    '--mantine-color-error': '#ff8a80',
    '--mantine-color-body': '#1b1c1e',
    '--mantine-color-ember-light': '#43291d',
    '--mantine-color-ember-light-hover': '#523120',
    '--mantine-color-ember-light-color': '#ffc7ab',
    '--mantine-color-gray-light': '#34373a',
    '--mantine-color-gray-light-hover': '#3d4043',
    '--mantine-color-gray-light-color': '#cfd3d7',
    '--surface': '#232527',
    '--surface-sunken': '#161718',
    '--line': '#35383b',
  },
})

/** `public/theme.js` reads the same key before the first paint. */
export const schemeManager = localStorageColorSchemeManager({ key: 'hearthd.theme' })

/** The profile says `system` where Mantine says `auto`. */
export const schemeOf = (theme: string) => (theme === 'light' || theme === 'dark' ? theme : 'auto')
