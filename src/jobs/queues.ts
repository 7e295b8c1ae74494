/** Defines the job queues. Work shares a queue only if it may delay each other. */
import type { SlotRules } from '../kernel/slots.js'

export interface Queue extends SlotRules {
  /** Name in metrics. */
  name: string
}

/** A queue for work with servers that users name. A server that sends nothing frees the slot. */
const remote = (name: string): Queue => ({ name, slots: 4, share: 2, stalled: { total: 24, share: 3 } })

export const queues = {
  /** Work on files and documents of this server. */
  local: { name: 'local', slots: 3, share: 2 },
  /** Chromium needs nearly all resources of a small machine. */
  pdf: { name: 'pdf', slots: 1, share: 1 },
  /** Rendering a large site occupies the text threads. */
  bundle: { name: 'bundle', slots: 1, share: 1 },
  /** All mails go to the operator's mail server. If it is slow, more connections do not help. */
  mail: { name: 'mail', slots: 4, share: 2 },
  /** All runs use the operator's translation engines. */
  translation: { name: 'translation', slots: 4, share: 2 },
  sync: remote('sync'),
  requestExport: remote('request-export'),
  pullPreview: remote('pull-preview'),
  contentImport: remote('content-import'),
  openapi: remote('openapi'),
  lfs: remote('lfs'),
} as const satisfies Record<string, Queue>

/** Rules for polls of connected repositories, which are not jobs. */
export const POLLS: SlotRules = remote('poll')
