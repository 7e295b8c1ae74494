import { remoteKey } from '../../git/index.js'
import type { RefName } from '../../kernel/ids.js'
import { syncPrefix } from '../context/refs.js'
import type { SyncRemote } from './remote.js'

/** Last part of the name of a log's ref. */
export const LOG = 'log'

/** The ref of the one log that a space keeps of a repository and folder, whatever the branch. */
export const logRef = (remote: Pick<SyncRemote, 'url' | 'directory'>): RefName => `${syncPrefix(remoteKey(remote.url, '', remote.directory))}${LOG}` as RefName
