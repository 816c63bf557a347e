// pgjdbc against a server of made-up people: metadata as BI tools read it, prepared statements, fetch sizes, batches of one.
import java.sql.*;
import java.util.*;

public class Jdbc {
    static final String REGIONS = "SELECT region, count(*) AS n FROM visits GROUP BY region ORDER BY region";

    static void check(boolean holds, String what) {
        if (!holds) throw new AssertionError(what);
    }

    static Map<String, Long> rows(ResultSet set) throws SQLException {
        Map<String, Long> rows = new LinkedHashMap<>();
        while (set.next()) rows.put(set.getString(1), set.getLong(2));
        return rows;
    }

    public static void main(String[] arguments) throws Exception {
        try (Connection connection = DriverManager.getConnection(System.getenv("POINTILLIST_JDBC"))) {
            metadata(connection.getMetaData());
            Statement statement = connection.createStatement();
            statement.execute("SET pointillist.epsilon = 0.05");
            Map<String, Long> rows = rows(statement.executeQuery(REGIONS));
            check(rows.size() == 4, "four regions");
            check(statement.getWarnings() != null, "the price is told");
            // From the fifth execution on, the statement is named and its results are binary.
            PreparedStatement prepared = connection.prepareStatement(
                "SELECT region, count(*) AS n FROM visits WHERE cost > ? AND region <> ? AND day > ? GROUP BY region ORDER BY region");
            Map<String, Long> first = null;
            for (int turn = 0; turn < 8; turn++) {
                prepared.setBigDecimal(1, new java.math.BigDecimal("12.50"));
                prepared.setString(2, "east");
                prepared.setDate(3, java.sql.Date.valueOf("2025-03-01"));
                Map<String, Long> again = rows(prepared.executeQuery());
                check(first == null || first.equals(again), "the same question has the same answer");
                first = again;
            }
            connection.setAutoCommit(false);
            statement.setFetchSize(2);
            check(rows(statement.executeQuery(REGIONS)).equals(rows), "a portal in pieces");
            connection.rollback();
            connection.setAutoCommit(true);
            try {
                statement.executeQuery("SELECT * FROM visits");
                throw new AssertionError("rows were shown");
            } catch (SQLException refused) {
                check(!"0A000".equals(refused.getSQLState()), "a pool would drop the connection");
            }
            check(connection.isValid(5), "the connection lives on");
            System.out.println(connection.getMetaData().getDriverName() + " " + connection.getMetaData().getDriverVersion());
        }
    }

    static void metadata(DatabaseMetaData facts) throws SQLException {
        Set<String> tables = new HashSet<>();
        try (ResultSet set = facts.getTables(null, "public", "%", new String[] {"TABLE", "VIEW"})) {
            while (set.next()) tables.add(set.getString("TABLE_NAME"));
        }
        check(tables.contains("visits"), "tables: " + tables);
        Set<String> columns = new HashSet<>();
        try (ResultSet set = facts.getColumns(null, "public", "visits", "%")) {
            while (set.next()) columns.add(set.getString("COLUMN_NAME") + " " + set.getString("TYPE_NAME"));
        }
        check(columns.contains("day date"), "columns: " + columns);
        facts.getSchemas().close();
        facts.getPrimaryKeys(null, "public", "visits").close();
        facts.getImportedKeys(null, "public", "visits").close();
        facts.getIndexInfo(null, "public", "visits", false, false).close();
        facts.getTypeInfo().close();
        facts.getSQLKeywords();
        facts.getTablePrivileges(null, "public", "visits").close();
        facts.getFunctions(null, "public", "%").close();
    }
}
