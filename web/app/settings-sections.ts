import {
  IconArrowBackUp,
  IconArrowsSplit,
  IconArrowsTransferUp,
  IconBell,
  IconBook2,
  IconBrain,
  IconCoins,
  IconDatabase,
  IconHistory,
  IconKey,
  IconLayout,
  IconLock,
  IconMail,
  IconPlug,
  IconPlugConnected,
  IconPuzzle,
  IconRobot,
  IconRoute,
  IconServer,
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
  /** What people call it or look for in it, for the search. */
  words: string
  /** Only for the admin scope, as its endpoints are. */
  admin?: true
}

const section = (
  id: string,
  label: string,
  icon: SettingsSection['icon'],
  hint: string,
  words = '',
): SettingsSection => ({ id, label, icon, hint, words })

const forAdmins = (...given: Parameters<typeof section>): SettingsSection => ({
  ...section(...given),
  admin: true,
})

/** Sections of `/settings/<id>`, in the order in which they are listed. */
export const settingsGroups: readonly { title: string; sections: readonly SettingsSection[] }[] = [
  {
    title: 'You',
    sections: [
      section(
        'profile',
        'Profile',
        IconUserCircle,
        'Your name, picture, time zone and theme.',
        'dark mode light colors avatar password account',
      ),
      section('interface', 'Interface', IconLayout, 'How hearthd looks, and which notifications it shows.', 'language'),
    ],
  },
  {
    title: 'Agents',
    sections: [
      section('agent', 'Answers', IconRobot, 'Defaults for how agents answer.', 'default model'),
      section(
        'proactive',
        'Proactive',
        IconBell,
        'What agents may start on their own, and when.',
        'do not disturb night',
      ),
      section(
        'permissions',
        'Permissions',
        IconShieldLock,
        'What agents may do without asking.',
        'always allow approvals',
      ),
      section('strategy', 'Project defaults', IconRoute, 'How projects plan, run and check their tasks.'),
      section('dispatcher', 'Dispatcher', IconArrowsSplit, 'What Home does with your text.', 'rules routing'),
      section('memory', 'Memory', IconBrain, 'What is remembered, searched and forgotten.', 'privacy forget'),
      section('skills', 'Skills', IconBook2, 'Instructions that agents read when a task needs them.', 'plugins'),
    ],
  },
  {
    title: 'Models',
    sections: [
      forAdmins(
        'providers',
        'Model providers',
        IconPlugConnected,
        'Changes take effect immediately.',
        'api key openai anthropic claude gpt gemini ollama local model llm token',
      ),
      section(
        'spending',
        'Spending',
        IconCoins,
        'Budgets, prices and the kill switch.',
        'cost money price limit bill pause stop',
      ),
    ],
  },
  {
    title: 'Connections',
    sections: [
      forAdmins('tool-servers', 'Tool servers', IconPlug, 'Programs that provide tools to agents (MCP).', 'plugins'),
      section(
        'credentials',
        'Credentials',
        IconLock,
        'What workflows sign in with at other services.',
        'password secret oauth token api key',
      ),
      forAdmins('email', 'Email', IconMail, 'The mail server that hearthd sends through.', 'smtp'),
      forAdmins('keys', 'API keys', IconKey, 'How scripts and other programs sign in.', 'token access'),
      section(
        'features',
        'Features',
        IconPuzzle,
        'What this machine supports, and optional packs.',
        'voice speech audio install printer scanner camera ocr update',
      ),
    ],
  },
  {
    title: 'Administration',
    sections: [
      forAdmins(
        'users',
        'Users',
        IconUsers,
        'Who may sign in, and what they may do.',
        'invite family people accounts password reset',
      ),
      forAdmins('security', 'Security', IconShieldLock, 'Limits for agents and sign-in.', 'password session logout'),
      forAdmins('history', 'History', IconArrowBackUp, 'Who changed which settings, with undo.'),
      forAdmins('audit', 'Audit log', IconHistory, 'Who did what, newest first.'),
      forAdmins(
        'backup',
        'Backup',
        IconDatabase,
        'Back up, verify and restore the database and files.',
        'save move copy update',
      ),
      forAdmins(
        'storage',
        'Storage',
        IconServer,
        'Space used by data, and how long it is kept.',
        'delete data disk clean retention privacy',
      ),
      forAdmins(
        'transfer',
        'Import & export',
        IconArrowsTransferUp,
        'Export, import or reset your settings.',
        'delete data move migrate download',
      ),
    ],
  },
]

export const settingsSections: readonly SettingsSection[] = settingsGroups.flatMap(({ sections }) => sections)

/** Whether each word of a query is somewhere in the texts. */
export function matchesAll(query: string, ...texts: readonly string[]): boolean {
  const text = texts.join(' ').toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
