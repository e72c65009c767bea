import {
  IconArrowsTransferUp,
  IconBell,
  IconBook2,
  IconBrain,
  IconCoins,
  IconHistory,
  IconKey,
  IconLayout,
  IconMail,
  IconPlug,
  IconPlugConnected,
  IconPuzzle,
  IconRobot,
  IconRoute,
  IconShieldLock,
  IconUserCircle,
  IconUsers,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'

export interface SettingsSection {
  id: string
  label: string
  icon: ComponentType<{ size?: number | string }>
  /** Under the title. */
  hint: string
  /** The endpoints behind it ask for the admin scope. */
  admin: boolean
}

/** Sections of `/settings/<id>`, in the order of their tabs. */
export const settingsSections: readonly SettingsSection[] = [
  {
    id: 'profile',
    label: 'Profile',
    icon: IconUserCircle,
    hint: 'How hearthd calls you, and the zone your days are in.',
    admin: false,
  },
  {
    id: 'interface',
    label: 'Interface',
    icon: IconLayout,
    hint: 'How hearthd looks, and what it tells you.',
    admin: false,
  },
  {
    id: 'agent',
    label: 'Answers',
    icon: IconRobot,
    hint: 'How agents answer, unless they say otherwise themselves.',
    admin: false,
  },
  {
    id: 'providers',
    label: 'Model providers',
    icon: IconPlugConnected,
    hint: 'Where the thinking is done. Changes count at once.',
    admin: true,
  },
  {
    id: 'spending',
    label: 'Spending',
    icon: IconCoins,
    hint: 'What the models cost, and what holds that back.',
    admin: false,
  },
  {
    id: 'proactive',
    label: 'Proactive',
    icon: IconBell,
    hint: 'What agents may begin without being asked, and when not.',
    admin: false,
  },
  {
    id: 'strategy',
    label: 'Strategy',
    icon: IconRoute,
    hint: 'How larger work is done: how much at once, with which models.',
    admin: false,
  },
  {
    id: 'memory',
    label: 'Memory',
    icon: IconBrain,
    hint: 'What is kept, how it is found again, and what is forgotten.',
    admin: false,
  },
  {
    id: 'skills',
    label: 'Skills',
    icon: IconBook2,
    hint: 'Instructions that agents read when the work calls for them.',
    admin: false,
  },
  {
    id: 'tool-servers',
    label: 'Tool servers',
    icon: IconPlug,
    hint: 'Programs and services that lend agents their tools (MCP).',
    admin: true,
  },
  {
    id: 'features',
    label: 'Features',
    icon: IconPuzzle,
    hint: 'What this machine can do, and packs that add to it.',
    admin: false,
  },
  {
    id: 'email',
    label: 'Email',
    icon: IconMail,
    hint: 'The mail server that hearthd sends through.',
    admin: true,
  },
  {
    id: 'security',
    label: 'Security',
    icon: IconShieldLock,
    hint: 'What holds agents and logins in bounds.',
    admin: true,
  },
  {
    id: 'keys',
    label: 'API keys',
    icon: IconKey,
    hint: 'How scripts and other programs sign in.',
    admin: true,
  },
  {
    id: 'users',
    label: 'Users',
    icon: IconUsers,
    hint: 'Who may sign in, and what they may do.',
    admin: true,
  },
  {
    id: 'audit',
    label: 'Audit log',
    icon: IconHistory,
    hint: 'Who did what, the newest first.',
    admin: true,
  },
  {
    id: 'transfer',
    label: 'Import & export',
    icon: IconArrowsTransferUp,
    hint: 'Take your settings elsewhere, bring them in, or begin again.',
    admin: true,
  },
]
