import { openPostgresStore } from '../../src/store/index.js'
import { startPostgres } from '../support/postgres.js'
import { pages, storeContract } from './contract.js'

const postgres = await startPostgres()

storeContract(
  'PostgreSQL',
  async () => {
    const url = await postgres.database()
    return { open: () => openPostgresStore({ database: { url }, tables: [pages] }), dispose: async () => {} }
  },
  () => postgres.close(),
)
