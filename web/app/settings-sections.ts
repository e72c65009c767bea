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
  /** Its endpoints require the admin scope. */
  admin: boolean
}

/** Sections of `/settings/<id>`, in the order of their tabs. */
export const settingsSections: readonly SettingsSection[] = [
  {
    id: 'profile',
    label: 'Profile',
    icon: IconUserCircle,
    hint: 'Your name, picture, time zone and theme.',
    admin: false,
  },
  {
    id: 'interface',
    label: 'Interface',
    icon: IconLayout,
    hint: 'How hearthd looks, and which notifications it shows.',
    admin: false,
  },
  {
    id: 'agent',
    label: 'Answers',
    icon: IconRobot,
    hint: 'Defaults for how agents answer.',
    admin: false,
  },
  {
    id: 'providers',
    label: 'Model providers',
    icon: IconPlugConnected,
    hint: 'Where models run. Changes take effect immediately.',
    admin: true,
  },
  {
    id: 'spending',
    label: 'Spending',
    icon: IconCoins,
    hint: 'Model costs, budgets and the kill switch.',
    admin: false,
  },
  {
    id: 'proactive',
    label: 'Proactive',
    icon: IconBell,
    hint: 'What agents may start on their own, and when.',
    admin: false,
  },
  {
    id: 'strategy',
    label: 'Strategy',
    icon: IconRoute,
    hint: 'How complex tasks are handled: how many at once and with which models.',
    admin: false,
  },
  {
    id: 'memory',
    label: 'Memory',
    icon: IconBrain,
    hint: 'What is remembered, searched and forgotten.',
    admin: false,
  },
  {
    id: 'skills',
    label: 'Skills',
    icon: IconBook2,
    hint: 'Instructions that agents read when a task needs them.',
    admin: false,
  },
  {
    id: 'tool-servers',
    label: 'Tool servers',
    icon: IconPlug,
    hint: 'Programs and services that provide tools to agents (MCP).',
    admin: true,
  },
  {
    id: 'features',
    label: 'Features',
    icon: IconPuzzle,
    hint: 'What this machine supports, and optional packs.',
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
    hint: 'Limits for agents and sign-in.',
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
    hint: 'Who did what, newest first.',
    admin: true,
  },
  {
    id: 'transfer',
    label: 'Import & export',
    icon: IconArrowsTransferUp,
    hint: 'Export, import or reset your settings.',
    admin: true,
  },
]
