export default async () => null;
