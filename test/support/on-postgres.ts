/** Whether the services of this run store all data in PostgreSQL: `STORE=postgres npm test`. */
export const onPostgres = process.env.STORE === 'postgres'
