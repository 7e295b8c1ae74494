/** The settings of limits: sizes, memory, disk and rates. */
import { integer } from './setting-values.js'
import { MIB, setting } from './setting.js'

export const limitSettings = {
  bodyLimitBytes: setting<number>(
    'BODY_LIMIT_BYTES',
    integer(1024, 1024 * MIB),
    String(10 * MIB),
    'Maximum size of a JSON body, in bytes.',
  ),
  responsesLimitBytes: setting<number>(
    'RESPONSES_LIMIT_BYTES',
    integer(1024, 64 * 1024 * MIB),
    String(128 * MIB),
    'Maximum total size of all responses that clients have not read yet, in bytes. Above it, requests get a 503 with `Retry-After`. The first 64 KiB of ' +
      'each response are not counted.',
  ),
  bodiesLimitBytes: setting<number>(
    'BODIES_LIMIT_BYTES',
    integer(1024, 64 * 1024 * MIB),
    String(128 * MIB),
    'Maximum total size of the bodies of all running requests, in bytes. Above it, requests get a 503 with `Retry-After`. The first 64 KiB of each body are not counted.',
  ),
  fileLimitBytes: setting<number>(
    'FILE_LIMIT_BYTES',
    integer(1024, 4096 * MIB),
    String(25 * MIB),
    'Maximum size of a file that is uploaded or fetched for an upload, in bytes.',
  ),
  blobLimitBytes: setting<number>(
    'BLOB_LIMIT_BYTES',
    integer(1024, 4096 * MIB),
    String(100 * MIB),
    'Maximum size of a file in an import, in bytes.',
  ),
  packLimitBytes: setting<number>(
    'PACK_LIMIT_BYTES',
    integer(1024, 64 * 1024 * MIB),
    String(1024 * MIB),
    'Maximum number of bytes per fetch.',
  ),
  lfsLimitBytes: setting<number>(
    'LFS_LIMIT_BYTES',
    integer(0, 4096 * MIB),
    String(100 * MIB),
    'Maximum size of a file that is fetched from Git LFS, in bytes; 0 = no files are fetched.',
  ),
  lfsSpaceBytes: setting<number>(
    'LFS_SPACE_BYTES',
    integer(0, 1024 * 1024 * MIB),
    String(2048 * MIB),
    "Maximum total size of a space's Git LFS files, in bytes. They are in the folder `lfs` of the data folder.",
  ),
  treeLimitEntries: setting<number>(
    'TREE_LIMIT_ENTRIES',
    integer(1, 10_000_000),
    '100000',
    'Maximum number of files in one revision.',
  ),
  folderLimitEntries: setting<number>(
    'FOLDER_LIMIT_ENTRIES',
    integer(1, 10_000_000),
    '20000',
    'Maximum number of files and folders in one folder.',
  ),
  cacheBytes: setting<number>(
    'CACHE_BYTES',
    integer(16 * MIB, 1024 * 1024 * MIB),
    String(256 * MIB),
    'Memory for all caches together (objects, revisions, pages, histories, responses), in bytes. A machine with 1 GB has room for the default.',
  ),
  factsBytes: setting<number>(
    'FACTS_BYTES',
    integer(MIB, 1024 * 1024 * MIB),
    String(1024 * MIB),
    'Size of the index `facts.db` in the data folder, in bytes. Above it, the oldest rows are deleted. It can be rebuilt at any time.',
  ),
  searchBytes: setting<number>(
    'SEARCH_BYTES',
    integer(MIB, 1024 * 1024 * MIB),
    String(2048 * MIB),
    'Size of the search indexes in the folder `search` of the data folder, in bytes. Above it, the least recently used ones are deleted. They can be rebuilt at any time.',
  ),
  pdfBytes: setting<number>(
    'PDF_BYTES',
    integer(MIB, 1024 * 1024 * MIB),
    String(1024 * MIB),
    'Size of the PDFs in the data folder, in bytes. Above it, the least recently used ones are deleted. They can be rebuilt at any time.',
  ),
  bundleBytes: setting<number>(
    'BUNDLE_BYTES',
    integer(MIB, 1024 * 1024 * MIB),
    String(1024 * MIB),
    'Size of the offline bundles of sites in the data folder, in bytes. Above it, the least recently used ones are deleted. They can be rebuilt at any time.',
  ),
  ratePerToken: setting<number>(
    'RATE_LIMIT_PER_MINUTE',
    integer(0, 10_000_000),
    '3000',
    'Maximum number of requests per minute and token; 0 = no limit.',
  ),
  ratePerAddress: setting<number>(
    'RATE_LIMIT_PER_MINUTE_ADDRESS',
    integer(0, 10_000_000),
    '6000',
    'Maximum number of requests per minute and address; 0 = no limit.',
  ),
  deliveryRate: setting<number>(
    'RATE_LIMIT_DELIVERIES',
    integer(0, 10_000_000),
    '600',
    'Maximum number of deliveries from a Git host (webhooks of connections) per minute, address and connection; 0 = no limit.',
  ),
  maxConnections: setting<number>(
    'MAX_CONNECTIONS',
    integer(1, 1_000_000),
    '1000',
    'Maximum number of open connections.',
  ),
  maxConnectionsPerAddress: setting<number>(
    'MAX_CONNECTIONS_PER_ADDRESS',
    integer(1, 1_000_000),
    '250',
    'Maximum number of open connections per address (for IPv6: per /64 network). Not applied if `BINDERY_TRUST_PROXY` is set.',
  ),
  requestSeconds: setting<number>(
    'REQUEST_SECONDS',
    integer(1, 86_400),
    '300',
    'Maximum duration from the first byte of a request to its last, in seconds.',
  ),
  orgSpaces: setting<number>(
    'ORG_SPACES',
    integer(0, 1_000_000),
    '0',
    'Maximum number of spaces of an organization; 0 = no limit. Deleted spaces do not count.',
  ),
  orgMembers: setting<number>(
    'ORG_MEMBERS',
    integer(0, 1_000_000),
    '0',
    'Maximum number of members of an organization; 0 = no limit.',
  ),
  orgFiles: setting<number>(
    'ORG_FILES',
    integer(0, 1_000_000_000),
    '0',
    'Maximum number of files in the main content of all spaces of an organization; 0 = no limit. Above it, changes that add files get a 409.',
  ),
  orgBytes: setting<number>(
    'ORG_BYTES',
    integer(0, 1024 * 1024 * 1024 * MIB),
    '0',
    "Maximum total size of an organization's repositories and Git LFS files, in bytes; 0 = no limit. Above it, changes get a 409, except deletions. " +
      'The size is measured at most every 30 seconds.',
  ),
} as const
