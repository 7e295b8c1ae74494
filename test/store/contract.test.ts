import { openStore } from '../../src/store/index.js'
import { pages, storeContract } from './contract.js'
import { temporaryDir } from './places.js'

storeContract('log and lowdb files', async () => {
  const place = temporaryDir()
  return { open: () => openStore({ dir: place.dir, tables: [pages] }), dispose: async () => place.remove() }
})

storeContract('log and lowdb files, a checkpoint after every write', async () => {
  const place = temporaryDir()
  return { open: () => openStore({ dir: place.dir, checkpointAfterBytes: 1 }), dispose: async () => place.remove() }
})
