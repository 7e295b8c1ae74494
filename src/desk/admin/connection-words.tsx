/** Connections in words: their state, the host, and the address of the repository. */
import type { Schemas } from '../api/client.js'
import { Chip } from '../shell/notes.js'
import { fill } from '../words/index.js'
import { adminWords } from './words.js'

type Connection = Schemas['Connection']
export type Provider = Connection['provider']

/** "github.com/acme/docs" */
export const shortAddress = (url: string): string =>
  url
    .replace(/^[a-z+]+:\/\/(?:[^@/]*@)?/, '')
    .replace(/^git@([^:]+):/, '$1/')
    .replace(/\.git$/, '')

/** The Git host of an address, recognized by its name. The API recognizes more hosts when it connects. */
export function hostOf(url: string): Provider {
  const name = shortAddress(url).split('/')[0] ?? ''
  if (/(^|\.)github\./.test(name)) return 'github'
  if (/(^|\.)gitlab\./.test(name)) return 'gitlab'
  if (/(^|\.)bitbucket\./.test(name)) return 'bitbucket'
  return /(^|\.)(gitea|forgejo|codeberg)\./.test(name) ? 'gitea' : 'generic'
}

/** The help for the field of an address. It names the host if it is a known one. */
export function addressHelp(url: string): string {
  const w = adminWords()
  const host = hostOf(url)
  return host === 'generic' ? w.connect.addressHelp : fill(w.connect.recognized, { host: w.connection.hosts[host] })
}

/** The name of the host of a connection: "GitHub", or the name of the server. */
export const hostName = ({ provider, url }: Connection): string =>
  provider === 'generic' ? (shortAddress(url).split('/')[0] ?? '') : adminWords().connection.hosts[provider]

/** The state of a connection. */
export function ConnectionChip({ connection }: { connection: Connection }) {
  const w = adminWords().connection.states
  if (connection.failure?.cause === 'conflict')
    return (
      <Chip tone="wait" icon="warn">
        {w.conflict}
      </Chip>
    )
  if (connection.status === 'error')
    return (
      <Chip tone="bad" icon="x">
        {w.error}
      </Chip>
    )
  if (connection.status === 'paused')
    return (
      <Chip tone="wait" icon="lock">
        {w.paused}
      </Chip>
    )
  return (
    <Chip tone="good" icon="check">
      {w.active}
    </Chip>
  )
}
