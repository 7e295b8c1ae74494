/** The queues of jobs: work that may delay other work shares one, and nothing else does. */
import type { SlotRules } from '../kernel/slots.js'

export interface Queue extends SlotRules {
  /** Name in metrics. */
  name: string
}

/** Work with servers that users name. A server that sends nothing frees the slot. */
const remote = (name: string): Queue => ({ name, slots: 4, share: 2, stalled: { total: 24, share: 3 } })

export const queues = {
  /** Work on files and documents of this server. */
  local: { name: 'local', slots: 3, share: 2 },
  /** Chromium needs most of a small machine. */
  pdf: { name: 'pdf', slots: 1, share: 1 },
  /** All mails go to the mail server of the operator: if it is slow, more connections do not help. */
  mail: { name: 'mail', slots: 4, share: 2 },
  /** All runs ask the engines of the operator. */
  translation: { name: 'translation', slots: 4, share: 2 },
  sync: remote('sync'),
  requestExport: remote('request-export'),
  pullPreview: remote('pull-preview'),
  contentImport: remote('content-import'),
  openapi: remote('openapi'),
  lfs: remote('lfs'),
} as const satisfies Record<string, Queue>

/** Polls of connected repositories, which are no jobs. */
export const POLLS: SlotRules = remote('poll')
